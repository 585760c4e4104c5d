/** Makes deliveries from rows of events, as many as can be sent soon. */
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import { type DeliveryRow, insertDeliveries, listWaiting } from './delivery-store.ts'
import { type EventRow, listEventRowsAfter } from './event-store.ts'
import { reachedOf, type WebhookRow } from './store.ts'

/** No more are made for a webhook while so many keys could be sent to it, or so many deliveries wait. */
const READY_MAX = 16
const WAITING_MAX = 100
/** Rows of events that are read at a time, and how often in one transaction. */
const ROWS_MAX = 50
const READS_MAX = 10

const RETRY_SECONDS_MAX = 180

/** A time further ahead than any retry was written by a clock that has been set back since. */
export const isDue = ({ next_attempt_at }: Pick<DeliveryRow, 'next_attempt_at'>, now: string): boolean =>
  next_attempt_at === null || next_attempt_at <= now || next_attempt_at > later(now, RETRY_SECONDS_MAX + 1)

/** Answers what waits then, oldest first, and moves the place that the webhook has reached. */
export async function fill(
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

const wantedGroups = ({ no }: WebhookRow, { wantedBy }: EventRow) => wantedBy.find(([wanting]) => wanting === no)?.[2] ?? []

/** The position after the last event of a row that the webhook wants. */
function endOf(webhook: WebhookRow, row: EventRow): number {
  const last = wantedGroups(webhook, row).at(-1) ?? -1
  return row.groups.slice(0, last + 1).reduce((sum, [, ids]) => sum + ids.length, 0)
}

/** From the position that the webhook has reached. */
function* deliveriesOf(ctx: Context, webhook: WebhookRow, row: EventRow, now: string): Generator<Omit<DeliveryRow, 'no'>> {
  const wanted = new Set(wantedGroups(webhook, row))
  let start = 0
  for (const [group, [event, recordIds]] of row.groups.entries()) {
    const first = wanted.has(group) ? Math.max(0, webhook.reached_position - start) : recordIds.length
    for (let index = first; index < recordIds.length; index++) {
      const record_id = recordIds[index] ?? null
      yield {
        ...NOT_SENT,
        id: ctx.newId(),
        webhook_no: webhook.no,
        event_no: row.no,
        position: start + index,
        event,
        occurred_at: row.occurred_at,
        order_key: record_id ?? row.dataset_id,
        record_id,
        dataset_id: row.dataset_id,
        next_attempt_at: now,
        inserted_at: now,
        updated_at: now,
      }
    }
    start += recordIds.length
  }
}

/** A delivery before its first attempt. */
export const NOT_SENT = {
  status: 'waiting',
  attempts: 0,
  response_status: null,
  response_excerpt: null,
  error: null,
  duration_ms: null,
}
