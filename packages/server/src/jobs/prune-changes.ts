/**
 * Deletes entries of the change log that are older than the retention period, in short pieces: each call of `step` does at most one.
 * Several processes may do it at once; each entry is deleted by one of them.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { later } from '../lib/clock.ts'
import { deleteOldChanges, deleteUnusedHeads, listHeadsAfter } from '../storage/changes.ts'

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
function prunePiece(ctx: Context, after: Id): Promise<Id | null> {
  const before = later(ctx.now(), -ctx.config.changeLogSeconds)
  return ctx.db.transaction(async db => {
    const datasetIds = await listHeadsAfter(db, after, DATASETS_MAX)
    let reached = after
    let left = ENTRIES_MAX
    for (const datasetId of datasetIds) {
      left -= await deleteOldChanges(db, datasetId, { before, limit: left })
      // This dataset may have more.
      if (left === 0) return reached
      reached = datasetId
    }
    if (datasetIds.length === DATASETS_MAX) return reached
    await deleteUnusedHeads(db)
    return null
  })
}
