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

/** Oldest first. */
export function listWebhooks(db: Queryable): Promise<WebhookRow[]> {
  return db.sql.all(`${SELECT} order by no`)
}

/** The same, locked until the transaction ends: nobody else changes them or delivers for them. */
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

export async function insertWebhook(db: Queryable, row: Omit<WebhookRow, 'no'>): Promise<void> {
  await db.sql.insertAll('webhooks', COLUMNS, [COLUMNS.map(column => row[column])])
}

/** Writes all columns. */
export async function updateWebhook(db: Queryable, row: WebhookRow): Promise<void> {
  const set = COLUMNS.map(column => `${column} = ?`).join(', ')
  await db.sql.run(`update webhooks set ${set} where no = ?`, [...COLUMNS.map(column => row[column]), row.no])
}

export async function deleteWebhook(db: Queryable, no: number): Promise<void> {
  await db.sql.run('delete from webhooks where no = ?', [no])
}

/** Two transactions that add a webhook count one after the other. */
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

/** An enabled webhook as those who write events need it. */
export interface Subscription {
  no: number
  events: ReadonlySet<EventName>
}

/** In the cache of rows, beside datasets, which are kept by their ids. */
const SUBSCRIPTIONS = 'webhook subscriptions'

/** Read with every transaction on PostgreSQL, where other processes may have changed them; kept on SQLite, which one thread writes. */
export async function listSubscriptions(db: Queryable): Promise<readonly Subscription[]> {
  const known = db.dialect.name === 'sqlite' ? keptSubscriptions(db) : undefined
  if (known) return known
  const rows = await db.sql.all<{ no: number; events: string }>('select no, events from webhooks where enabled = 1 order by no')
  const subscriptions = rows.map(row => ({ no: row.no, events: new Set(eventsOf(row)) }))
  db.kept.set(SUBSCRIPTIONS, subscriptions)
  return subscriptions
}

/** As they were last read, without asking the database; undefined if they were not. */
export const keptSubscriptions = (db: Pick<Queryable, 'kept'>): readonly Subscription[] | undefined =>
  db.kept.get(SUBSCRIPTIONS) as readonly Subscription[] | undefined

/** After every change of webhooks, in the same transaction. */
export const forgetSubscriptions = (db: Queryable): void => db.kept.set(SUBSCRIPTIONS, undefined)

/** Those that do not sign any more. */
export async function deletePreviousSecrets(db: Queryable, now: string): Promise<void> {
  const text = `update webhooks set previous_secret_encrypted = null, previous_secret_until = null where previous_secret_until < ?`
  await db.sql.run(text, [now])
}

/** The target of an entry of the audit log. Paths and queries of webhooks often hold keys. */
export const asTarget = ({ id, url }: Pick<WebhookRow, 'id' | 'url'>) => ({ id, name: new URL(url).origin })
