/** Reads the audit log of a running server from its database. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AuditAction } from '@postil/domain/audit-log'
import { expect, vi } from 'vitest'

interface StoredEntry {
  no: number
  action: AuditAction
  actor_id: string | null
  target_id: string | null
  address: string | null
  details: string
}

export interface AuditEntries {
  /** The number of the newest entry. */
  lastNo(): number
  /** Entries after this number, oldest first. */
  list(after: number): StoredEntry[]
  /** The same, once there are so many of them: sign-ins are written a moment later. */
  wait(after: number, count: number): Promise<StoredEntry[]>
  close(): void
}

export function openAuditEntries(home: string): AuditEntries {
  const db = new DatabaseSync(join(home, 'postil.db'), { readOnly: true })
  const select = 'select no, action, actor_id, target_id, address, details from audit_entries where no > ? order by no'
  const list = (after: number) => db.prepare(select).all(after) as unknown as StoredEntry[]
  return {
    lastNo: () => Number(db.prepare('select coalesce(max(no), 0) as no from audit_entries').get()?.no),
    list,
    wait: (after, count) =>
      vi.waitFor(
        () => {
          const found = list(after)
          expect(found.length).toBeGreaterThanOrEqual(count)
          return found
        },
        { timeout: 20_000, interval: 100 },
      ),
    close: () => db.close(),
  }
}
