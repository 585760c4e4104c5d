/** All SQL of `webhook_events`, the outbox of events for webhooks. */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import { marks, type Queryable } from '../../storage/database.ts'
import type { EventPlace } from '../../storage/webhook-tables.ts'

/** Webhooks that subscribe to the same events of a row, the number of these events, and their names. */
export type EventSubscribers = [webhookNos: number[], count: number, names: EventName[]]

/** Each record in turn has one event of each name; null for events of datasets. */
export type EventGroup = [names: EventName[], recordIds: (Id | null)[]]

/** Iterates over the events of a row in order. */
export function* eventsOf(groups: readonly EventGroup[]): Generator<{ name: EventName; recordId: Id | null }> {
  for (const [names, recordIds] of groups) for (const recordId of recordIds) for (const name of names) yield { name, recordId }
}

export interface NewEventRow {
  dataset: { id: Id; version: string }
  /** The dataset as JSON; null if this version is already stored. */
  content: string | null
  occurredAt: string
  /** JSON list of `EventSubscribers`. */
  wantedBy: string
  groups: EventGroup[]
  payload: string
}

export async function insertEventRow(db: Queryable, row: NewEventRow): Promise<void> {
  const { dataset, occurredAt, wantedBy, groups, payload } = row
  const no = await nextNumber(db)
  if (row.content !== null || !isDatasetCached(db, dataset)) await storeDataset(db, no, row)
  const xid = db.dialect.name === 'postgres' ? 'pg_current_xact_id()::text::bigint' : '0'
  const text = `insert into webhook_events (no, xid, dataset_id, dataset_version, occurred_at, wanted_by, events, payload)
    values (?, ${xid}, ?, ?, ?, ?, ?, ?)`
  await db.sql.run(text, [no, dataset.id, dataset.version, occurredAt, wantedBy, JSON.stringify(groups), payload])
}

/** Cache key for the dataset versions that were stored or found last, by id. Only used on SQLite, where one thread writes. */
const KNOWN_DATASETS = 'datasets of webhook events'
const KNOWN_DATASETS_MAX = 1_000

/** True if the cache shows that this version of a dataset is stored. */
export const isDatasetCached = (db: Queryable, { id, version }: NewEventRow['dataset']): boolean =>
  (db.cache.get(KNOWN_DATASETS) as Map<Id, string> | undefined)?.get(id) === version

function cacheDataset(db: Queryable, { id, version }: NewEventRow['dataset']): void {
  if (db.dialect.name !== 'sqlite') return
  const before = db.cache.get(KNOWN_DATASETS) as Map<Id, string> | undefined
  const known = before && before.size < KNOWN_DATASETS_MAX ? before : new Map<Id, string>()
  known.set(id, version)
  if (known !== before) db.cache.set(KNOWN_DATASETS, known)
}

/**
 * True if this version of a dataset is stored. The shared lock keeps it until the transaction ends, because
 * `deleteUnusedDatasets` waits for it.
 */
export async function isDatasetStored(db: Queryable, dataset: NewEventRow['dataset']): Promise<boolean> {
  if (isDatasetCached(db, dataset)) return true
  const text = `select 1 from webhook_datasets where dataset_id = ? and dataset_version = ?${db.dialect.forShare}`
  return (await db.sql.get(text, [dataset.id, dataset.version])) !== undefined
}

async function storeDataset(db: Queryable, no: number, { dataset, content }: NewEventRow): Promise<void> {
  const text = `insert into webhook_datasets (dataset_id, dataset_version, first_event_no, content) values (?, ?, ?, ?) on conflict do nothing`
  if (content !== null) await db.sql.run(text, [dataset.id, dataset.version, no, content])
  cacheDataset(db, dataset)
}

/** Cache key. The cache is cleared when a transaction is rolled back. */
const LAST_NUMBER = 'number of the last webhook event'

/**
 * On SQLite, where one thread writes, the last number is cached, so that the sequence table need not be written with every
 * response. Numbers are never reused, even after all events were deleted, because webhooks and deliveries refer to them.
 */
async function nextNumber(db: Queryable): Promise<number> {
  if (db.dialect.name === 'postgres') return (await db.sql.reserveNumbers('webhook_events', 1))[0] as number
  const known = db.cache.get(LAST_NUMBER) as number | undefined
  const next = (known ?? (await findLastNumber(db))) + 1
  db.cache.set(LAST_NUMBER, next)
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

/** Lists users in the representation for webhooks. */
export async function listShownUsers(db: Queryable, ids: readonly Id[]): Promise<ShownUser[]> {
  if (ids.length > 1) return db.sql.all(`${SHOWN_USER} in (${marks(ids)})`, ids)
  // A single response has one user, so this common case has a separate statement without a list.
  const only = ids.length === 1 ? await db.sql.get<ShownUser>(`${SHOWN_USER} = ?`, ids) : undefined
  return only ? [only] : []
}

export interface EventRow extends EventPlace {
  dataset_id: Id
  occurred_at: string
  wantedBy: EventSubscribers[]
  groups: EventGroup[]
}

type StoredEventRow = Omit<EventRow, 'wantedBy' | 'groups'> & { wanted_by: string; events: string }

/** Rows stored by earlier releases have one webhook and one event name instead of lists, and refer to groups by index. */
type StoredGroup = [names: EventName | EventName[], recordIds: (Id | null)[]]
type StoredSubscribers = [webhookNos: number | number[], count: number, names: (EventName | number)[]]

const toGroups = (events: string): EventGroup[] =>
  (JSON.parse(events) as StoredGroup[]).map(([names, recordIds]) => [[names].flat(), recordIds])

const toSubscribers = (wantedBy: string, groups: readonly EventGroup[]): EventSubscribers[] =>
  (JSON.parse(wantedBy) as StoredSubscribers[]).map(([nos, count, names]) => {
    const wanted = names.flatMap(name => (typeof name === 'number' ? (groups[name]?.[0] ?? []) : name))
    return [[nos].flat(), count, wanted]
  })

/**
 * On PostgreSQL, reads only rows of transactions older than all running ones, in transaction order, so that no row can be
 * committed later that belongs before one already read.
 */
const afterPlace = (db: Queryable, { xid, no }: EventPlace) =>
  db.dialect.name === 'postgres'
    ? {
        condition: '(xid, no) > (?, ?) and xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
        params: [xid, no],
        order: 'xid, no',
      }
    : { condition: 'no > ?', params: [no], order: 'no' }

/** Lists event rows without their payloads. */
export async function listEventRowsAfter(db: Queryable, place: EventPlace, limit: number): Promise<EventRow[]> {
  const { condition, params, order } = afterPlace(db, place)
  const text = `select no, xid, dataset_id, occurred_at, wanted_by, events from webhook_events where ${condition} order by ${order} limit ?`
  const rows = await db.sql.all<StoredEventRow>(text, [...params, limit])
  return rows.map(({ wanted_by, events, ...row }) => {
    const groups = toGroups(events)
    return { ...row, wantedBy: toSubscribers(wanted_by, groups), groups }
  })
}

/** Lists only the subscriptions and counts of event rows. */
export async function listSubscribersAfter(
  db: Queryable,
  place: EventPlace,
  limit: number,
): Promise<(EventPlace & { wantedBy: EventSubscribers[] })[]> {
  const { condition, params, order } = afterPlace(db, place)
  const text = `select no, xid, wanted_by from webhook_events where ${condition} order by ${order} limit ?`
  const rows = await db.sql.all<EventPlace & { wanted_by: string }>(text, [...params, limit])
  return rows.map(({ wanted_by, ...row }) => ({ ...row, wantedBy: toSubscribers(wanted_by, []) }))
}

/** Returns the place of the last row that can be read now. */
export async function findNewestPlace(db: Queryable): Promise<EventPlace> {
  const { condition, params } = afterPlace(db, { xid: 0, no: 0 })
  const order = db.dialect.name === 'postgres' ? 'xid desc, no desc' : 'no desc'
  const text = `select xid, no from webhook_events where ${condition} order by ${order} limit 1`
  return (await db.sql.get<EventPlace>(text, params)) ?? { xid: 0, no: 0 }
}

export interface EventContent {
  occurred_at: string
  groups: EventGroup[]
  /** The dataset as JSON. */
  dataset: string
  payload: string
}

export async function findEventContent(db: Queryable, no: number): Promise<EventContent | null> {
  const text = `select e.occurred_at, e.events, e.payload, d.content as dataset from webhook_events e
    join webhook_datasets d on d.dataset_id = e.dataset_id and d.dataset_version = e.dataset_version where e.no = ?`
  const row = await db.sql.get<Omit<EventContent, 'groups'> & { events: string }>(text, [no])
  return row ? { ...row, groups: toGroups(row.events) } : null
}

/** Also locks the row against deletion until the transaction ends. */
export async function hasEventRow(db: Queryable, no: number): Promise<boolean> {
  return (await db.sql.get(`select 1 from webhook_events where no = ?${db.dialect.forUpdate}`, [no])) !== undefined
}

export async function hasEvents(db: Queryable): Promise<boolean> {
  const text = 'select 1 where exists (select 1 from webhook_events) or exists (select 1 from webhook_datasets)'
  return (await db.sql.get(text)) !== undefined
}

/**
 * Deletes dataset versions that no remaining event can refer to: those with a later version that is not newer than the oldest
 * event.
 */
export async function deleteUnusedDatasets(db: Queryable): Promise<void> {
  db.cache.set(KNOWN_DATASETS, undefined)
  // Waits for transactions that have looked up a version, so that their events are visible here.
  if (db.dialect.name === 'postgres') await db.sql.run('lock table webhook_datasets in exclusive mode')
  const oldest = await db.sql.get<{ no: number }>('select no from webhook_events order by no limit 1')
  const text = `delete from webhook_datasets where exists (select 1 from webhook_datasets later
    where later.dataset_id = webhook_datasets.dataset_id and later.first_event_no > webhook_datasets.first_event_no and later.first_event_no <= ?)`
  if (oldest) await db.sql.run(text, [oldest.no])
  else await db.sql.run('delete from webhook_datasets where not exists (select 1 from webhook_events)')
}

interface PruneBatch {
  /** Rows up to this number have been checked. */
  after: number
  /** All webhooks have their deliveries for rows up to this place; null if there are no webhooks. */
  reached: EventPlace | null
  limit: number
}

/** Deletes unused rows among the next ones. Returns the last number checked, or null at the end. */
export async function deleteUnusedEvents(db: Queryable, { after, reached, limit }: PruneBatch): Promise<number | null> {
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
