/**
 * Deletes what is not kept any longer, in short pieces: deliveries that ended, events that no webhook and no delivery needs, versions of
 * datasets that no event needs, secrets that do not sign any more. Several processes may do it at once.
 */
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { compare } from './backlog.ts'
import { deleteOldDeliveries } from './delivery-store.ts'
import { deleteUnusedDatasets, deleteUnusedEvents, hasEvents } from './event-store.ts'
import { deletePreviousSecrets, listWebhooks, reachedOf } from './store.ts'

const KEPT_SECONDS = 7 * 24 * 3600
const KEPT_MAX = 1_000
/** Of one piece. */
const DELIVERIES_MAX = 200
const EVENTS_MAX = 100
/** Between the end of one round and the next. */
const ROUND_PAUSE_MS = 10_000

/** `now` is a clock that is never set back, in milliseconds. */
export function openWebhookPruner(ctx: Context, now: () => number = () => performance.now()) {
  let nextRoundAt = Number.NEGATIVE_INFINITY
  /** Events up to this number were looked at in this round. */
  let after = 0
  return {
    /** Does one piece. False when there is nothing to do now. */
    step: async (): Promise<boolean> => {
      if (now() < nextRoundAt) return false
      const reached = await prunePiece(ctx, after)
      after = reached ?? 0
      if (reached === null) nextRoundAt = now() + ROUND_PAUSE_MS
      return reached !== null
    },
  }
}

/** Answers the number of the event after which to go on, or null when the round is done. */
async function prunePiece(ctx: Context, after: number): Promise<number | null> {
  const webhooks = await listWebhooks(ctx.db)
  // Looking first leaves the database unlocked while there is nothing to do.
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
