/**
 * With several processes on one database, one of them at a time delivers for a webhook, so that order holds. SQLite has one process. A
 * process gives its lease back when it has nothing to send; the lease of one that died runs out.
 */
import type { Id } from '@postil/domain/schema'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import type { WebhookRow } from './store.ts'

/** Longer than an attempt takes, after which the process asks again. */
const LEASE_SECONDS = 60

const isUsed = (db: Queryable) => db.dialect.name === 'postgres'

/** Other processes may have other clocks: a lease that is far too long was written by one that has been set back. */
export function isLeasedByOthers(db: Queryable, row: WebhookRow, process: Id, now: string): boolean {
  if (!isUsed(db) || row.leased_by === null || row.leased_by === process || row.leased_until === null) return false
  return row.leased_until > now && row.leased_until < later(now, 2 * LEASE_SECONDS)
}

interface Need {
  process: Id
  now: string
  isNeeded: boolean
}

/** The columns of the lease as they are to be. Renewed when half of it is over, so that few transactions write it. */
export function withLease(db: Queryable, row: WebhookRow, { process, now, isNeeded }: Need): Partial<WebhookRow> {
  if (!isUsed(db)) return {}
  if (!isNeeded) return row.leased_by === process ? { leased_by: null, leased_until: null } : {}
  const isFresh = row.leased_by === process && row.leased_until !== null && row.leased_until > later(now, LEASE_SECONDS / 2)
  return isFresh ? {} : { leased_by: process, leased_until: later(now, LEASE_SECONDS) }
}

export const hasLease = (db: Queryable, row: WebhookRow, process: Id): boolean => !isUsed(db) || row.leased_by === process
