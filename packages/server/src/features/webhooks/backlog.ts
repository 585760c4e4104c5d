/** Counts the events waiting for each webhook. */
import type { Queryable } from '../../storage/database.ts'
import type { EventPlace } from '../../storage/webhook-tables.ts'
import { countWaiting } from './delivery-store.ts'
import { listEventRowsAfter, listSubscribersAfter } from './event-store.ts'
import { subscribedEventsOf } from './fill.ts'
import { listWebhooks, reachedOf, type WebhookRow } from './store.ts'

const ROWS_MAX = 1_000

/**
 * Returns counts by webhook number. Scans all event rows that some webhook has not reached, so do not call it in a thread that
 * serves requests.
 */
export async function countBacklog(db: Queryable): Promise<Map<number, number>> {
  const webhooks = await listWebhooks(db)
  const counts = await countWaiting(db)
  for (const row of webhooks) counts.set(row.no, (counts.get(row.no) ?? 0) - (await countDelivered(db, row)))
  let place = webhooks.map(reachedOf).toSorted(compare)[0]
  while (place) {
    const rows = await listSubscribersAfter(db, place, ROWS_MAX)
    for (const row of rows) {
      for (const [nos, count] of row.wantedBy) {
        for (const webhook of webhooks.filter(({ no }) => nos.includes(no))) {
          if (compare(reachedOf(webhook), row) < 0) counts.set(webhook.no, (counts.get(webhook.no) ?? 0) + count)
        }
      }
    }
    place = rows.length < ROWS_MAX ? undefined : rows.at(-1)
  }
  return counts
}

/** Counts the events in the row after the last one reached for which deliveries already exist. */
async function countDelivered(db: Queryable, webhook: WebhookRow): Promise<number> {
  if (webhook.reached_position === 0) return 0
  const [row] = await listEventRowsAfter(db, reachedOf(webhook), 1)
  let count = 0
  for (const { position } of row ? subscribedEventsOf(webhook, row) : []) if (position < webhook.reached_position) count++
  return count
}

/** Lists the numbers of webhooks for which more than `most` events wait. */
export async function listOverfull(db: Queryable, most: number): Promise<number[]> {
  return [...(await countBacklog(db))].filter(([, count]) => count > most).map(([no]) => no)
}

export const compare = (one: EventPlace, other: EventPlace): number => one.xid - other.xid || one.no - other.no
