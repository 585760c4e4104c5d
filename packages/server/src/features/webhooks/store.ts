/** All SQL of webhooks. */

import { notFound } from '@postil/domain/errors'
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { Webhook } from '@postil/domain/webhooks'
import type { Selectable } from 'kysely'
import type { ApiKeys } from '../../lib/secrets.ts'
import type { Queryable } from '../../storage/database.ts'
import type { EventPlace, WebhooksTable } from '../../storage/webhook-tables.ts'

export type WebhookRow = Selectable<WebhooksTable>

const COLUMNS = [
  'id',
  'url',
  'secret_encrypted',
  'previous_secret_encrypted',
  'previous_secret_until',
  'events',
  'enabled',
  'description',
  'reached_xid',
  'reached_no',
  'reached_position',
  'failing_since',
  'paused_at',
  'message',
  'last_success_at',
  'leased_by',
  'leased_until',
  'inserted_at',
  'updated_at',
] as const

const SELECT = `select no, ${COLUMNS.join(', ')} from webhooks`

/** Lists webhooks, oldest first. */
export function listWebhooks(db: Queryable): Promise<WebhookRow[]> {
  return db.sql.all(`${SELECT} order by no`)
}

/**
 * Same as `listWebhooks`, but locks the rows until the transaction ends, so that no other transaction changes them or delivers
 * for them.
 */
export function listWebhooksToChange(db: Queryable): Promise<WebhookRow[]> {
  return db.sql.all(`${SELECT} order by no${db.dialect.forUpdate}`)
}

export async function findWebhookByNo(db: Queryable, no: number): Promise<WebhookRow | null> {
  return (await db.sql.get<WebhookRow>(`${SELECT} where no = ?`, [no])) ?? null
}

export async function loadWebhook(db: Queryable, id: Id): Promise<WebhookRow> {
  const row = await db.sql.get<WebhookRow>(`${SELECT} where id = ?`, [id])
  if (!row) throw notFound('Webhook', id)
  return row
}

export async function loadWebhookToChange(db: Queryable, id: Id): Promise<WebhookRow> {
  const row = await db.sql.get<WebhookRow>(`${SELECT} where id = ?${db.dialect.forUpdate}`, [id])
  if (!row) throw notFound('Webhook', id)
  return row
}

/** Initial values of a new webhook. */
export const INITIAL_STATE = {
  previous_secret_encrypted: null,
  previous_secret_until: null,
  reached_position: 0,
  failing_since: null,
  paused_at: null,
  message: null,
  last_success_at: null,
  leased_by: null,
  leased_until: null,
}

export async function insertWebhook(db: Queryable, row: Omit<WebhookRow, 'no'>): Promise<void> {
  await db.sql.insertAll('webhooks', COLUMNS, [COLUMNS.map(column => row[column])])
}

/** Updates all columns. */
export async function updateWebhook(db: Queryable, row: WebhookRow): Promise<void> {
  const set = COLUMNS.map(column => `${column} = ?`).join(', ')
  await db.sql.run(`update webhooks set ${set} where no = ?`, [...COLUMNS.map(column => row[column]), row.no])
}

export async function deleteWebhook(db: Queryable, no: number): Promise<void> {
  await db.sql.run('delete from webhooks where no = ?', [no])
}

/** Serializes transactions that add a webhook, so that they count correctly. */
export async function lockWebhooks(db: Queryable): Promise<void> {
  if (db.dialect.name === 'postgres') await db.sql.run('lock table webhooks in share row exclusive mode')
}

export const eventsOf = (row: Pick<WebhookRow, 'events'>): EventName[] => JSON.parse(row.events)

export const reachedOf = (row: WebhookRow): EventPlace => ({ xid: row.reached_xid, no: row.reached_no })

export const toWebhook = (keys: ApiKeys, row: WebhookRow | Omit<WebhookRow, 'no'>): Webhook => ({
  id: row.id,
  url: row.url,
  secret: keys.decrypt(row.secret_encrypted),
  events: eventsOf(row),
  enabled: row.enabled === 1,
  description: row.description,
  inserted_at: row.inserted_at,
  updated_at: row.updated_at,
})

/** The parts of an enabled webhook that writers of events need. */
export interface Subscription {
  no: number
  events: ReadonlySet<EventName>
}

/** Cache key, distinct from those of datasets, which are ids. */
const SUBSCRIPTIONS = 'webhook subscriptions'

/**
 * Read in every transaction on PostgreSQL, because other processes may have changed them; cached on SQLite, where one thread
 * writes.
 */
export async function listSubscriptions(db: Queryable): Promise<readonly Subscription[]> {
  const known = db.dialect.name === 'sqlite' ? cachedSubscriptions(db) : undefined
  if (known) return known
  const rows = await db.sql.all<{ no: number; events: string }>('select no, events from webhooks where enabled = 1 order by no')
  const subscriptions = rows.map(row => ({ no: row.no, events: new Set(eventsOf(row)) }))
  db.cache.set(SUBSCRIPTIONS, subscriptions)
  return subscriptions
}

/** Returns the cached subscriptions without a query, or undefined if there are none. */
export const cachedSubscriptions = (db: Pick<Queryable, 'cache'>): readonly Subscription[] | undefined =>
  db.cache.get(SUBSCRIPTIONS) as readonly Subscription[] | undefined

/** Call it after every change of webhooks, in the same transaction. */
export const clearSubscriptionCache = (db: Queryable): void => db.cache.set(SUBSCRIPTIONS, undefined)

/** Deletes expired previous secrets. */
export async function deletePreviousSecrets(db: Queryable, now: string): Promise<void> {
  const text = `update webhooks set previous_secret_encrypted = null, previous_secret_until = null where previous_secret_until < ?`
  await db.sql.run(text, [now])
}

/** Target of an audit log entry. Only the origin is logged, because paths and queries of webhooks often contain keys. */
export const asTarget = ({ id, url }: Pick<WebhookRow, 'id' | 'url'>) => ({ id, name: new URL(url).origin })
