/**
 * Deletes change log entries that are older than the retention period, in small batches: each call of `step` deletes at most one
 * batch. Several processes may do this concurrently; each entry is deleted by one of them.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { later } from '../lib/clock.ts'
import { deleteHead, deleteOldChanges, type LogAge, listLogsAfter } from '../storage/changes.ts'
import type { Queryable } from '../storage/database.ts'

/** Pause between the end of one round through all datasets and the start of the next. */
const ROUND_PAUSE_MS = 3_600_000
/** Limits of one batch, which takes a few milliseconds. */
const DATASETS_MAX = 100
const ENTRIES_MAX = 500

export interface Pruner {
  /** Runs one batch. Returns false if there is nothing to do now. */
  step(): Promise<boolean>
}

/** `now` is a monotonic clock in milliseconds. */
export function createChangePruner(ctx: Context, now: () => number = () => performance.now()): Pruner {
  /** Datasets up to and including this id are done in this round. */
  let after: Id = ''
  let nextRoundAt = Number.NEGATIVE_INFINITY
  return {
    step: async () => {
      if (now() < nextRoundAt) return false
      const reached = await pruneBatch(ctx, after)
      after = reached ?? ''
      if (reached === null) nextRoundAt = now() + ROUND_PAUSE_MS
      return reached !== null
    },
  }
}

/** Returns the id after which to continue, or null when all datasets are done. */
async function pruneBatch(ctx: Context, after: Id): Promise<Id | null> {
  const before = later(ctx.now(), -ctx.config.changeLogSeconds)
  const logs = await listLogsAfter(ctx.db, after, DATASETS_MAX)
  const old = logs.filter(({ oldest_at, is_deleted }) => (oldest_at === null ? is_deleted === 1 : oldest_at < before))
  // Checks first, so that the database is not locked when there is nothing to delete.
  const unfinished = old.length === 0 ? null : await ctx.db.transaction(db => pruneLogs(db, old, before))
  if (unfinished !== null) return logs[logs.indexOf(unfinished) - 1]?.dataset_id ?? after
  return logs.length < DATASETS_MAX ? null : (logs.at(-1)?.dataset_id ?? null)
}

/** Returns the log at which it stopped because the batch was full, or null if it finished all logs. */
async function pruneLogs(db: Queryable, logs: readonly LogAge[], before: string): Promise<LogAge | null> {
  let left = ENTRIES_MAX
  for (const log of logs) {
    if (log.oldest_at === null) await deleteHead(db, log.dataset_id)
    else left -= await deleteOldChanges(db, log.dataset_id, { before, limit: left })
    if (left === 0) return log
  }
  return null
}
