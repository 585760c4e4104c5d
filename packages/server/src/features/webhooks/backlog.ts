/** How many events wait for each webhook. */
import type { Queryable } from '../../storage/database.ts'
import type { EventPlace } from '../../storage/webhook-tables.ts'
import { countWaiting } from './delivery-store.ts'
import { listEventRowsAfter, listWantedAfter } from './event-store.ts'
import { listWebhooks, reachedOf, type WebhookRow } from './store.ts'

const ROWS_MAX = 1_000

/** By number of the webhook. It walks over all rows of events that some webhook has not reached: not for a thread that others wait for. */
export async function countBacklog(db: Queryable): Promise<Map<number, number>> {
  const webhooks = await listWebhooks(db)
  const counts = await countWaiting(db)
  for (const row of webhooks) counts.set(row.no, (counts.get(row.no) ?? 0) - (await countLookedAt(db, row)))
  let place = webhooks.map(reachedOf).toSorted(compare)[0]
  while (place) {
    const rows = await listWantedAfter(db, place, ROWS_MAX)
    for (const row of rows) {
      for (const [no, count] of row.wantedBy) {
        const webhook = webhooks.find(other => other.no === no)
        if (webhook && compare(reachedOf(webhook), row) < 0) counts.set(no, (counts.get(no) ?? 0) + count)
      }
    }
    place = rows.length < ROWS_MAX ? undefined : rows.at(-1)
  }
  return counts
}

/** Events of the row after the last one reached of which there are deliveries already. */
async function countLookedAt(db: Queryable, webhook: WebhookRow): Promise<number> {
  if (webhook.reached_position === 0) return 0
  const [row] = await listEventRowsAfter(db, reachedOf(webhook), 1)
  const wanted = row?.wantedBy.find(([no]) => no === webhook.no)?.[2] ?? []
  let start = 0
  let count = 0
  for (const [group, [, ids]] of (row?.groups ?? []).entries()) {
    if (wanted.includes(group)) count += Math.min(ids.length, Math.max(0, webhook.reached_position - start))
    start += ids.length
  }
  return count
}

/** Numbers of webhooks for which more than `most` events wait. */
export async function listOverfull(db: Queryable, most: number): Promise<number[]> {
  return [...(await countBacklog(db))].filter(([, count]) => count > most).map(([no]) => no)
}

export const compare = (one: EventPlace, other: EventPlace): number => one.xid - other.xid || one.no - other.no
