/**
 * Deletes old data in short transactions: finished deliveries, events that no webhook and no delivery needs, dataset versions
 * that no event needs, and expired secrets. Several processes may run it concurrently.
 */
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { compare } from './backlog.ts'
import { deleteOldDeliveries } from './delivery-store.ts'
import { deleteUnusedDatasets, deleteUnusedEvents, hasEvents } from './event-store.ts'
import { deletePreviousSecrets, listWebhooks, reachedOf } from './store.ts'

const KEPT_SECONDS = 7 * 24 * 3600
const KEPT_MAX = 1_000
/** Limits per transaction. */
const DELIVERIES_MAX = 200
const EVENTS_MAX = 100
/** Pause between two rounds. */
const ROUND_PAUSE_MS = 10_000

/** `now` is a monotonic clock in milliseconds. */
export function createWebhookPruner(ctx: Context, now: () => number = () => performance.now()) {
  let nextRoundAt = Number.NEGATIVE_INFINITY
  /** Events up to this number have been checked in this round. */
  let after = 0
  return {
    /** Runs one transaction. Returns false if there is nothing to do now. */
    step: async (): Promise<boolean> => {
      if (now() < nextRoundAt) return false
      const reached = await prunePiece(ctx, after)
      after = reached ?? 0
      if (reached === null) nextRoundAt = now() + ROUND_PAUSE_MS
      return reached !== null
    },
  }
}

/** Returns the event number after which to continue, or null when the round is done. */
async function prunePiece(ctx: Context, after: number): Promise<number | null> {
  const webhooks = await listWebhooks(ctx.db)
  // Checks before opening a transaction, so that the database is not locked when there is nothing to do.
  if (webhooks.length === 0 && !(await hasEvents(ctx.db))) return null
  const time = ctx.now()
  return ctx.db.transaction(async db => {
    let left = DELIVERIES_MAX
    for (const { no } of webhooks) {
      left -= await deleteOldDeliveries(db, no, { keep: KEPT_MAX, before: later(time, -KEPT_SECONDS), limit: left })
    }
    if (left === 0) return after
    if (webhooks.some(row => row.previous_secret_until !== null && row.previous_secret_until < time)) {
      await deletePreviousSecrets(db, time)
    }
    const reached = webhooks.map(reachedOf).toSorted(compare)[0] ?? null
    const looked = await deleteUnusedEvents(db, { after, reached, limit: EVENTS_MAX })
    if (looked === null) await deleteUnusedDatasets(db)
    return looked
  })
}
