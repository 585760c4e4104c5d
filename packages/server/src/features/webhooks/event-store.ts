/** All SQL of `webhook_events`: what happened that webhooks want to know. */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import { marks, type Queryable } from '../../storage/database.ts'
import type { EventPlace } from '../../storage/webhook-tables.ts'

/** Which webhook, how many events, and in which groups they are. */
export type Wanted = [webhookNo: number, count: number, groups: number[]]

/** Events with one name: for each, the record it is about; null for events of datasets. */
export type EventGroup = [name: EventName, recordIds: (Id | null)[]]

export interface NewEventRow {
  dataset: { id: Id; version: string }
  /** The dataset as JSON; null if this version of it is stored already. */
  content: string | null
  occurredAt: string
  /** A list of `Wanted`, as JSON. */
  wantedBy: string
  groups: EventGroup[]
  payload: string
}

export async function insertEventRow(db: Queryable, row: NewEventRow): Promise<void> {
  const { dataset, occurredAt, wantedBy, groups, payload } = row
  const no = await nextNumber(db)
  await keepDataset(db, no, row)
  const xid = db.dialect.name === 'postgres' ? 'pg_current_xact_id()::text::bigint' : '0'
  const text = `insert into webhook_events (no, xid, dataset_id, dataset_version, occurred_at, wanted_by, events, payload)
    values (?, ${xid}, ?, ?, ?, ?, ?, ?)`
  await db.sql.run(text, [no, dataset.id, dataset.version, occurredAt, wantedBy, JSON.stringify(groups), payload])
}

/** In the cache of rows: the dataset whose version was stored, or found, last. On SQLite, which one thread writes. */
const LAST_DATASET = 'dataset of the last webhook event'

/**
 * Whether this version of a dataset is stored. It stays so until the transaction ends: whoever deletes versions that are not needed waits
 * for it (`deleteUnusedDatasets`).
 */
export async function isDatasetKept(db: Queryable, { id, version }: NewEventRow['dataset']): Promise<boolean> {
  const last = db.dialect.name === 'sqlite' ? (db.kept.get(LAST_DATASET) as NewEventRow['dataset'] | undefined) : undefined
  if (last?.id === id && last.version === version) return true
  const text = `select 1 from webhook_datasets where dataset_id = ? and dataset_version = ?${db.dialect.forShare}`
  return (await db.sql.get(text, [id, version])) !== undefined
}

async function keepDataset(db: Queryable, no: number, { dataset, content }: NewEventRow): Promise<void> {
  const text = `insert into webhook_datasets (dataset_id, dataset_version, first_event_no, content) values (?, ?, ?, ?) on conflict do nothing`
  if (content !== null) await db.sql.run(text, [dataset.id, dataset.version, no, content])
  db.kept.set(LAST_DATASET, dataset)
}

/** In the cache of rows, which is emptied when a transaction is undone. */
const LAST_NUMBER = 'number of the last webhook event'

/**
 * On SQLite, which one thread writes: the last number is remembered, so that the table of sequences need not be written with every
 * response. Numbers are never used twice, also after all events were deleted: webhooks and deliveries remember them.
 */
async function nextNumber(db: Queryable): Promise<number> {
  if (db.dialect.name === 'postgres') return (await db.sql.reserveNumbers('webhook_events', 1))[0] as number
  const known = db.kept.get(LAST_NUMBER) as number | undefined
  const next = (known ?? (await findLastNumber(db))) + 1
  db.kept.set(LAST_NUMBER, next)
  return next
}

async function findLastNumber(db: Queryable): Promise<number> {
  const text = `select max(coalesce((select max(no) from webhook_events), 0), coalesce((select max(reached_no) from webhooks), 0),
    coalesce((select max(event_no) from webhook_deliveries), 0), coalesce((select max(first_event_no) from webhook_datasets), 0)) as last`
  return (await db.sql.get<{ last: number }>(text))?.last ?? 0
}

export interface ShownUser {
  id: Id
  first_name: string
  last_name: string | null
  username: string
  role: Role
  inserted_at: string
  updated_at: string
}

const SHOWN_USER = 'select id, first_name, last_name, username, role, inserted_at, updated_at from users where id'

/** Users as webhooks see them. */
export async function listShownUsers(db: Queryable, ids: readonly Id[]): Promise<ShownUser[]> {
  if (ids.length > 1) return db.sql.all(`${SHOWN_USER} in (${marks(ids)})`, ids)
  // A person's response has one user: that is worth a statement of its own, which needs no list.
  const only = ids.length === 1 ? await db.sql.get<ShownUser>(`${SHOWN_USER} = ?`, ids) : undefined
  return only ? [only] : []
}

export interface EventRow extends EventPlace {
  dataset_id: Id
  occurred_at: string
  wantedBy: Wanted[]
  groups: EventGroup[]
}

type Stored = Omit<EventRow, 'wantedBy' | 'groups'> & { wanted_by: string; events: string }

/**
 * On PostgreSQL only rows of transactions that are older than all running ones are read, in the order of these transactions: no row can be
 * committed later that belongs before one that was read.
 */
const afterPlace = (db: Queryable, { xid, no }: EventPlace) =>
  db.dialect.name === 'postgres'
    ? {
        condition: '(xid, no) > (?, ?) and xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
        params: [xid, no],
        order: 'xid, no',
      }
    : { condition: 'no > ?', params: [no], order: 'no' }

/** Without payloads. */
export async function listEventRowsAfter(db: Queryable, place: EventPlace, limit: number): Promise<EventRow[]> {
  const { condition, params, order } = afterPlace(db, place)
  const text = `select no, xid, dataset_id, occurred_at, wanted_by, events from webhook_events where ${condition} order by ${order} limit ?`
  const rows = await db.sql.all<Stored>(text, [...params, limit])
  return rows.map(({ wanted_by, events, ...row }) => ({ ...row, wantedBy: JSON.parse(wanted_by), groups: JSON.parse(events) }))
}

/** Only who wants how much of them. */
export async function listWantedAfter(
  db: Queryable,
  place: EventPlace,
  limit: number,
): Promise<(EventPlace & { wantedBy: Wanted[] })[]> {
  const { condition, params, order } = afterPlace(db, place)
  const text = `select no, xid, wanted_by from webhook_events where ${condition} order by ${order} limit ?`
  const rows = await db.sql.all<EventPlace & { wanted_by: string }>(text, [...params, limit])
  return rows.map(({ wanted_by, ...row }) => ({ ...row, wantedBy: JSON.parse(wanted_by) }))
}

/** The last row that can be read now. */
export async function findNewestPlace(db: Queryable): Promise<EventPlace> {
  const { condition, params } = afterPlace(db, { xid: 0, no: 0 })
  const order = db.dialect.name === 'postgres' ? 'xid desc, no desc' : 'no desc'
  const text = `select xid, no from webhook_events where ${condition} order by ${order} limit 1`
  return (await db.sql.get<EventPlace>(text, params)) ?? { xid: 0, no: 0 }
}

export interface EventContent {
  occurred_at: string
  groups: EventGroup[]
  /** The dataset, as JSON. */
  dataset: string
  payload: string
}

export async function findEventContent(db: Queryable, no: number): Promise<EventContent | null> {
  const text = `select e.occurred_at, e.events, e.payload, d.content as dataset from webhook_events e
    join webhook_datasets d on d.dataset_id = e.dataset_id and d.dataset_version = e.dataset_version where e.no = ?`
  const row = await db.sql.get<Omit<EventContent, 'groups'> & { events: string }>(text, [no])
  return row ? { ...row, groups: JSON.parse(row.events) } : null
}

/** Locked against deletion until the transaction ends. */
export async function hasEventRow(db: Queryable, no: number): Promise<boolean> {
  return (await db.sql.get(`select 1 from webhook_events where no = ?${db.dialect.forUpdate}`, [no])) !== undefined
}

export async function hasEvents(db: Queryable): Promise<boolean> {
  const text = 'select 1 where exists (select 1 from webhook_events) or exists (select 1 from webhook_datasets)'
  return (await db.sql.get(text)) !== undefined
}

/** Versions of datasets to which no event can refer that is left: those with a later version that the oldest event refers to, or comes after. */
export async function deleteUnusedDatasets(db: Queryable): Promise<void> {
  db.kept.set(LAST_DATASET, undefined)
  // Whoever has looked for a version commits first, and this sees their events.
  if (db.dialect.name === 'postgres') await db.sql.run('lock table webhook_datasets in exclusive mode')
  const oldest = await db.sql.get<{ no: number }>('select no from webhook_events order by no limit 1')
  const text = `delete from webhook_datasets where exists (select 1 from webhook_datasets later
    where later.dataset_id = webhook_datasets.dataset_id and later.first_event_no > webhook_datasets.first_event_no and later.first_event_no <= ?)`
  if (oldest) await db.sql.run(text, [oldest.no])
  else await db.sql.run('delete from webhook_datasets where not exists (select 1 from webhook_events)')
}

interface Piece {
  /** Rows with numbers up to this one were looked at. */
  after: number
  /** All webhooks have got their deliveries of rows up to this place; null: there are no webhooks. */
  reached: EventPlace | null
  limit: number
}

/** Deletes rows that nobody needs among the next ones; answers the last number that was looked at, or null at the end. */
export async function deleteUnusedEvents(db: Queryable, { after, reached, limit }: Piece): Promise<number | null> {
  const isReached = db.dialect.name === 'postgres' ? '(xid, no) <= (?, ?)' : '? = 0 and no <= ?'
  const condition = reached === null ? 'no > ?' : `no > ? and ${isReached}`
  const params = reached === null ? [after] : [after, reached.xid, reached.no]
  const nos = await db.sql.column<number>(`select no from webhook_events where ${condition} order by no limit ?`, [
    ...params,
    limit,
  ])
  const last = nos.at(-1)
  if (last === undefined) return null
  await db.sql.run(
    `delete from webhook_events where ${condition} and no <= ?
     and not exists (select 1 from webhook_deliveries d where d.event_no = webhook_events.no)`,
    [...params, last],
  )
  return nos.length < limit ? null : last
}
