/**
 * Deletes entries of the audit log that are older than the retention period, in short pieces: each call of `step` does at most one.
 * Several processes may do it at once; each entry is deleted by one of them.
 */
import type { Context } from '../context.ts'
import { deleteAuditEntriesBefore, hasAuditEntryBefore } from '../features/audit-log/store.ts'
import { later } from '../lib/clock.ts'
import type { Pruner } from './prune-changes.ts'

/** Between the end of one round and the next. */
const ROUND_PAUSE_MS = 3_600_000
/** Of one piece: a few milliseconds. */
const ENTRIES_MAX = 500

/** `now` is a clock that is never set back, in milliseconds. */
export function openAuditPruner(ctx: Context, now: () => number = () => performance.now()): Pruner {
  let nextRoundAt = Number.NEGATIVE_INFINITY
  return {
    step: async () => {
      if (ctx.config.auditLogSeconds === 0 || now() < nextRoundAt) return false
      const isMore = await prunePiece(ctx)
      if (!isMore) nextRoundAt = now() + ROUND_PAUSE_MS
      return isMore
    },
  }
}

/** Answers whether there may be more to delete. */
async function prunePiece(ctx: Context): Promise<boolean> {
  const before = later(ctx.now(), -ctx.config.auditLogSeconds)
  // Looking first leaves the database unlocked while there is nothing to do.
  if (!(await hasAuditEntryBefore(ctx.db, before))) return false
  return (await ctx.db.transaction(db => deleteAuditEntriesBefore(db, before, ENTRIES_MAX))) === ENTRIES_MAX
}
