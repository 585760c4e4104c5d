/** All SQL of deliveries. */

import { notFound } from '@postil/domain/errors'
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { DeliveryStatus, WebhookDelivery } from '@postil/domain/webhooks'
import type { Selectable } from 'kysely'
import { marks, type Queryable } from '../../storage/database.ts'
import type { WebhookDeliveriesTable } from '../../storage/webhook-tables.ts'

export type DeliveryRow = Selectable<WebhookDeliveriesTable>

const COLUMNS = [
  'id',
  'webhook_no',
  'event_no',
  'position',
  'event',
  'occurred_at',
  'order_key',
  'record_id',
  'dataset_id',
  'status',
  'attempts',
  'next_attempt_at',
  'response_status',
  'response_excerpt',
  'error',
  'duration_ms',
  'inserted_at',
  'updated_at',
] as const

const SELECT = `select no, ${COLUMNS.join(', ')} from webhook_deliveries`

/** Inserts in this order: earlier deliveries are sent before later ones with the same key. */
export async function insertDeliveries(db: Queryable, rows: readonly Omit<DeliveryRow, 'no'>[]): Promise<void> {
  await db.sql.insertAll(
    'webhook_deliveries',
    COLUMNS,
    rows.map(row => COLUMNS.map(column => row[column])),
  )
}

/** Lists unfinished deliveries of a webhook, oldest first. */
export function listWaiting(db: Queryable, webhookNo: number): Promise<DeliveryRow[]> {
  return db.sql.all(`${SELECT} where webhook_no = ? and status = 'waiting' order by no`, [webhookNo])
}

export async function countWaiting(db: Queryable): Promise<Map<number, number>> {
  const text = `select webhook_no, count(*) as waiting from webhook_deliveries where status = 'waiting' group by webhook_no`
  const rows = await db.sql.all<{ webhook_no: number; waiting: number }>(text)
  return new Map(rows.map(row => [row.webhook_no, row.waiting]))
}

export function listDeliveriesByIds(db: Queryable, ids: readonly Id[]): Promise<DeliveryRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.sql.all(`${SELECT} where id in (${marks(ids)})`, ids)
}

export async function findDelivery(db: Queryable, id: Id): Promise<DeliveryRow | null> {
  return (await db.sql.get<DeliveryRow>(`${SELECT} where id = ?`, [id])) ?? null
}

export async function loadDelivery(db: Queryable, webhookNo: number, id: Id): Promise<DeliveryRow> {
  const row = await db.sql.get<DeliveryRow>(`${SELECT} where id = ? and webhook_no = ?`, [id, webhookNo])
  if (!row) throw notFound('Delivery', id)
  return row
}

interface Page {
  webhookNo: number
  status?: DeliveryStatus | undefined
  event?: EventName | undefined
  before: number | null
  limit: number
}

/** Lists deliveries, newest first. */
export function listDeliveriesPage(db: Queryable, { webhookNo, status, event, before, limit }: Page): Promise<DeliveryRow[]> {
  const conditions: [string, string | number | null | undefined][] = [
    ['webhook_no = ?', webhookNo],
    ['no < ?', before],
    ['status = ?', status],
    ['event = ?', event],
  ]
  const given = conditions.filter(([, value]) => value != null)
  const text = `${SELECT} where ${given.map(([condition]) => condition).join(' and ')} order by no desc limit ?`
  return db.sql.all(text, [...given.map(([, value]) => value as string | number), limit])
}

const OUTCOME = [
  'status',
  'attempts',
  'next_attempt_at',
  'response_status',
  'response_excerpt',
  'error',
  'duration_ms',
  'updated_at',
] as const

/** Stores the outcomes of attempts. */
export async function updateOutcomes(db: Queryable, rows: readonly DeliveryRow[]): Promise<void> {
  const text = `update webhook_deliveries set ${OUTCOME.map(column => `${column} = ?`).join(', ')} where no = ?`
  await db.sql.runEach(
    text,
    rows.map(row => [...OUTCOME.map(column => row[column]), row.no]),
  )
}

/** Fails all waiting deliveries of a webhook. */
export async function failWaiting(
  db: Queryable,
  webhookNo: number,
  { error, now }: { error: string; now: string },
): Promise<void> {
  const text = `update webhook_deliveries set status = 'failed', error = ?, next_attempt_at = null, updated_at = ?
    where webhook_no = ? and status = 'waiting'`
  await db.sql.run(text, [error, now, webhookNo])
}

interface PruneOptions {
  /** Number of finished deliveries to keep. */
  keep: number
  /** Finished deliveries before this time are deleted. */
  before: string
  limit: number
}

/** Deletes old finished deliveries of a webhook, at most `limit`. Returns how many were deleted. */
export async function deleteOldDeliveries(
  db: Queryable,
  webhookNo: number,
  { keep, before, limit }: PruneOptions,
): Promise<number> {
  const text = `delete from webhook_deliveries where no in (
      select no from webhook_deliveries where webhook_no = ? and status <> 'waiting' and (updated_at < ? or no <= coalesce(
        (select no from webhook_deliveries where webhook_no = ? and status <> 'waiting' order by no desc limit 1 offset ?), 0))
      order by no limit ?)`
  return (await db.sql.run(text, [webhookNo, before, webhookNo, keep, limit])).changes
}

export const toDelivery = (webhookId: Id, row: Omit<DeliveryRow, 'no'>): WebhookDelivery => ({
  id: row.id,
  webhook_id: webhookId,
  event: row.event as EventName,
  event_time: row.occurred_at,
  status: row.status as DeliveryStatus,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at,
  response_status: row.response_status,
  response_excerpt: row.response_excerpt,
  error: row.error,
  duration_ms: row.duration_ms,
  record_id: row.record_id,
  dataset_id: row.dataset_id,
  inserted_at: row.inserted_at,
  updated_at: row.updated_at,
})
