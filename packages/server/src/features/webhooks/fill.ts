/** Creates deliveries from event rows, as many as can be sent soon. */
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DeliveryRow, insertDeliveries, listWaiting } from './delivery-store.ts'
import { type EventRow, eventsOf, listEventRowsAfter } from './event-store.ts'
import { reachedOf, type WebhookRow } from './store.ts'

/** No more deliveries are created for a webhook while this many keys are ready to send, or this many deliveries wait. */
const READY_MAX = 16
const WAITING_MAX = 100
/** Event rows per read, and reads per transaction. */
const ROWS_MAX = 50
const READS_MAX = 10

const RETRY_SECONDS_MAX = 180

/** A time further ahead than any retry means that the clock was set back since, so the delivery counts as due. */
export const isDue = ({ next_attempt_at }: Pick<DeliveryRow, 'next_attempt_at'>, now: string): boolean =>
  next_attempt_at === null || next_attempt_at <= now || next_attempt_at > later(now, RETRY_SECONDS_MAX + 1)

/** Returns the waiting deliveries, oldest first, and advances the place of the webhook. */
export async function createDeliveries(
  ctx: Context,
  db: Queryable,
  webhook: WebhookRow,
  waiting: readonly DeliveryRow[],
  now: string,
): Promise<readonly DeliveryRow[]> {
  const made: Omit<DeliveryRow, 'no'>[] = []
  const keys = new Set(waiting.map(({ order_key }) => order_key))
  const isBlocked = new Set(waiting.filter(delivery => !isDue(delivery, now)).map(({ order_key }) => order_key))
  const hasRoom = () => keys.size - isBlocked.size < READY_MAX && waiting.length + made.length < WAITING_MAX
  for (let reads = 0; reads < READS_MAX && hasRoom(); reads++) {
    const rows = await listEventRowsAfter(db, reachedOf(webhook), ROWS_MAX)
    for (const row of rows) {
      for (const delivery of deliveriesOf(ctx, webhook, row, now)) {
        if (!hasRoom()) break
        webhook.reached_position = delivery.position + 1
        made.push(delivery)
        keys.add(delivery.order_key)
      }
      if (!hasRoom() && webhook.reached_position < endOf(webhook, row)) break
      Object.assign(webhook, { reached_xid: row.xid, reached_no: row.no, reached_position: 0 })
    }
    if (rows.length < ROWS_MAX) break
  }
  if (made.length === 0) return waiting
  await insertDeliveries(db, made)
  return listWaiting(db, webhook.no)
}

/** Iterates over the events of a row that a webhook subscribes to, with their positions. */
export function* subscribedEventsOf({ no }: WebhookRow, { wantedBy, groups }: EventRow) {
  const names = new Set(wantedBy.find(([nos]) => nos.includes(no))?.[2])
  if (names.size === 0) return
  let position = 0
  for (const { name, recordId } of eventsOf(groups)) {
    if (names.has(name)) yield { name, recordId, position }
    position++
  }
}

/** Returns the position after the last event of a row that the webhook subscribes to. */
function endOf(webhook: WebhookRow, row: EventRow): number {
  let end = 0
  for (const { position } of subscribedEventsOf(webhook, row)) end = position + 1
  return end
}

/** Builds deliveries from the position that the webhook has reached. */
function* deliveriesOf(ctx: Context, webhook: WebhookRow, row: EventRow, now: string): Generator<Omit<DeliveryRow, 'no'>> {
  for (const { name, recordId, position } of subscribedEventsOf(webhook, row)) {
    if (position < webhook.reached_position) continue
    yield {
      ...NEW_DELIVERY,
      id: ctx.newId(),
      webhook_no: webhook.no,
      event_no: row.no,
      position,
      event: name,
      occurred_at: row.occurred_at,
      order_key: recordId ?? row.dataset_id,
      record_id: recordId,
      dataset_id: row.dataset_id,
      next_attempt_at: now,
      inserted_at: now,
      updated_at: now,
    }
  }
}

/** State of a delivery before its first attempt. */
export const NEW_DELIVERY = {
  status: 'waiting',
  attempts: 0,
  response_status: null,
  response_excerpt: null,
  error: null,
  duration_ms: null,
}
