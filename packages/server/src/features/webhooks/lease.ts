/**
 * With several processes on one database, only one of them at a time delivers for a webhook, which preserves the order. SQLite
 * has a single process. A process returns its lease when it has nothing to send; the lease of a crashed process expires.
 */
import type { Id } from '@postil/domain/schema'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import type { WebhookRow } from './store.ts'

/** Longer than an attempt, after which the process renews the lease. */
const LEASE_SECONDS = 60

const usesLeases = (db: Queryable) => db.dialect.name === 'postgres'

/** Clocks of processes may differ: a lease that is far too long was written before a clock was set back, and is ignored. */
export function isLeasedByOthers(db: Queryable, row: WebhookRow, process: Id, now: string): boolean {
  if (!usesLeases(db) || row.leased_by === null || row.leased_by === process || row.leased_until === null) return false
  return row.leased_until > now && row.leased_until < later(now, 2 * LEASE_SECONDS)
}

interface LeaseRequest {
  process: Id
  now: string
  isNeeded: boolean
}

/** Returns the new lease columns. A lease is renewed after half of its time, so that few transactions write it. */
export function withLease(db: Queryable, row: WebhookRow, { process, now, isNeeded }: LeaseRequest): Partial<WebhookRow> {
  if (!usesLeases(db)) return {}
  if (!isNeeded) return row.leased_by === process ? { leased_by: null, leased_until: null } : {}
  const isFresh = row.leased_by === process && row.leased_until !== null && row.leased_until > later(now, LEASE_SECONDS / 2)
  return isFresh ? {} : { leased_by: process, leased_until: later(now, LEASE_SECONDS) }
}

export const hasLease = (db: Queryable, row: WebhookRow, process: Id): boolean => !usesLeases(db) || row.leased_by === process
