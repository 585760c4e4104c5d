/**
 * Deletes audit log entries that are older than the retention period, in small batches: each call of `step` deletes at most one
 * batch. Several processes may do this concurrently; each entry is deleted by one of them.
 */
import type { Context } from '../context.ts'
import { deleteAuditEntriesBefore, hasAuditEntryBefore } from '../features/audit-log/store.ts'
import { later } from '../lib/clock.ts'
import type { Pruner } from './prune-changes.ts'

/** Pause between the end of one round and the start of the next. */
const ROUND_PAUSE_MS = 3_600_000
/** Batch size; deleting a batch takes a few milliseconds. */
const ENTRIES_MAX = 500

/** `now` is a monotonic clock in milliseconds. */
export function createAuditPruner(ctx: Context, now: () => number = () => performance.now()): Pruner {
  let nextRoundAt = Number.NEGATIVE_INFINITY
  return {
    step: async () => {
      if (ctx.config.auditLogSeconds === 0 || now() < nextRoundAt) return false
      const isMore = await pruneBatch(ctx)
      if (!isMore) nextRoundAt = now() + ROUND_PAUSE_MS
      return isMore
    },
  }
}

/** Returns true if there may be more to delete. */
async function pruneBatch(ctx: Context): Promise<boolean> {
  const before = later(ctx.now(), -ctx.config.auditLogSeconds)
  // Checks first, so that the database is not locked when there is nothing to delete.
  if (!(await hasAuditEntryBefore(ctx.db, before))) return false
  return (await ctx.db.transaction(db => deleteAuditEntriesBefore(db, before, ENTRIES_MAX))) === ENTRIES_MAX
}
