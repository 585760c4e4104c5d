/**
 * Deletes entries of the change log that are older than the retention period, in short pieces: each call of `step` does at most one.
 * Several processes may do it at once; each entry is deleted by one of them.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { later } from '../lib/clock.ts'
import { deleteHead, deleteOldChanges, type LogAge, listLogsAfter } from '../storage/changes.ts'
import type { Queryable } from '../storage/database.ts'

/** Between the end of one round through all datasets and the next. */
const ROUND_PAUSE_MS = 3_600_000
/** Of one piece: a few milliseconds. */
const DATASETS_MAX = 100
const ENTRIES_MAX = 500

export interface Pruner {
  /** Does one piece. False when there is nothing to do now. */
  step(): Promise<boolean>
}

/** `now` is a clock that is never set back, in milliseconds. */
export function openPruner(ctx: Context, now: () => number = () => performance.now()): Pruner {
  /** Datasets up to this id are done in this round. */
  let after: Id = ''
  let nextRoundAt = Number.NEGATIVE_INFINITY
  return {
    step: async () => {
      if (now() < nextRoundAt) return false
      const reached = await prunePiece(ctx, after)
      after = reached ?? ''
      if (reached === null) nextRoundAt = now() + ROUND_PAUSE_MS
      return reached !== null
    },
  }
}

/** Answers the id after which to go on, or null when all datasets are done. */
async function prunePiece(ctx: Context, after: Id): Promise<Id | null> {
  const before = later(ctx.now(), -ctx.config.changeLogSeconds)
  const logs = await listLogsAfter(ctx.db, after, DATASETS_MAX)
  const old = logs.filter(({ oldest_at, is_deleted }) => (oldest_at === null ? is_deleted === 1 : oldest_at < before))
  // Looking first leaves the database unlocked while there is nothing to do.
  const unfinished = old.length === 0 ? null : await ctx.db.transaction(db => pruneLogs(db, old, before))
  if (unfinished !== null) return logs[logs.indexOf(unfinished) - 1]?.dataset_id ?? after
  return logs.length < DATASETS_MAX ? null : (logs.at(-1)?.dataset_id ?? null)
}

/** Answers the log at which it stopped, because one piece may not do more. */
async function pruneLogs(db: Queryable, logs: readonly LogAge[], before: string): Promise<LogAge | null> {
  let left = ENTRIES_MAX
  for (const log of logs) {
    if (log.oldest_at === null) await deleteHead(db, log.dataset_id)
    else left -= await deleteOldChanges(db, log.dataset_id, { before, limit: left })
    if (left === 0) return log
  }
  return null
}
