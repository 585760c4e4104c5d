/** Reads the audit log of a running server from its database. */
import type { AuditAction } from '@postil/domain/audit-log'
import { expect, vi } from 'vitest'
import { runRows } from '../databases/rows.ts'
import type { SmallWorld } from './http.ts'

interface StoredEntry {
  no: number
  action: AuditAction
  actor_id: string | null
  target_id: string | null
  address: string | null
  details: string
}

export interface AuditEntries {
  /** Number of the newest entry. */
  lastNo(): Promise<number>
  /** Entries after this number, oldest first. */
  list(after: number): Promise<StoredEntry[]>
  /** Like `list`, but waits for `count` entries, because sign-ins are written with a delay. */
  wait(after: number, count: number): Promise<StoredEntry[]>
}

/** Only entries of these addresses or of the server itself: it also stores late sign-ins of other files. */
export function openAuditEntries({ server }: SmallWorld, addresses: readonly string[]): AuditEntries {
  const isOwn = `(address is null or address in (${addresses.map(() => '?').join()}))`
  const columns = 'no, action, actor_id, target_id, address, details'
  const select = `select ${columns} from audit_entries where no > ? and ${isOwn} order by no`
  const list = (after: number) => runRows<StoredEntry>(server, select, [after, ...addresses])
  return {
    lastNo: async () => {
      const [row] = await runRows<{ no: number }>(server, 'select coalesce(max(no), 0) as no from audit_entries')
      return Number(row?.no)
    },
    list,
    wait: (after, count) =>
      vi.waitFor(
        async () => {
          const found = await list(after)
          expect(found.length).toBeGreaterThanOrEqual(count)
          return found
        },
        { timeout: 20_000, interval: 100 },
      ),
  }
}
