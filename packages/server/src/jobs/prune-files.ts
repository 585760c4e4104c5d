/**
 * Deletes expired files, and orphaned pieces of deleted files, in small batches: each call of `step` deletes at most one batch.
 * Several processes may do this concurrently.
 */
import type { Context } from '../context.ts'
import { deleteFile, listExpiredFiles } from '../features/files/store.ts'
import { openPieces } from '../storage/pieces.ts'
import type { Pruner } from './prune-changes.ts'

/** Pause between the end of one round and the start of the next. */
const ROUND_PAUSE_MS = 300_000
/** Limits of one batch, which takes a few milliseconds. */
const FILES_MAX = 50
const PIECES_MAX = 16

/** `now` is a monotonic clock in milliseconds. */
export function createFilePruner(ctx: Context, now: () => number = () => performance.now()): Pruner {
  const pieces = openPieces(ctx)
  let nextRoundAt = Number.NEGATIVE_INFINITY
  let orphans: string[] = []

  async function pruneBatch(): Promise<boolean> {
    const expired = await listExpiredFiles(ctx.db, ctx.now(), FILES_MAX)
    if (expired.length > 0) {
      await ctx.db.transaction(async db => {
        for (const id of expired) await deleteFile(db, id)
      })
      return true
    }
    if (orphans.length === 0) orphans = await pieces.listOrphans(FILES_MAX)
    const [id] = orphans
    if (id === undefined) return false
    if (!(await pieces.drop(id, PIECES_MAX))) orphans.shift()
    return true
  }

  return {
    step: async () => {
      if (now() < nextRoundAt) return false
      const isMore = await pruneBatch()
      if (!isMore) nextRoundAt = now() + ROUND_PAUSE_MS
      return isMore
    },
  }
}
