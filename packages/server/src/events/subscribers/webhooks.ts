/**
 * Stores events for webhooks in the transaction that causes them: one row per dataset for any number of events, records and
 * webhooks (decision 0028). Transactions that share a commit also share the row. Deliveries are made from these rows later
 * (features/webhooks/exchange.ts).
 */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { insertEventRow, isDatasetCached, isDatasetStored } from '../../features/webhooks/event-store.ts'
import { cachedSubscriptions, listSubscriptions, type Subscription } from '../../features/webhooks/store.ts'
import { findCachedUser } from '../../storage/cached-users.ts'
import type { Queryable } from '../../storage/database.ts'
import type { Tx } from '../../storage/write.ts'
import { type Event, type EventRows, rowsOf } from '../emit.ts'
import type { Subscriber } from './all.ts'
import { createBatch, type EventWithRows, toSubscriptionsJson } from './webhook-batch.ts'
import {
  datasetIdOfEvent,
  findWebhookDataset,
  isFullRecord,
  type LoadedDataset,
  loadFullRecords,
  loadUserTexts,
  toWebhookDataset,
} from './webhook-content.ts'

/**
 * Maximum length of a row's payload; longer content continues in another row, because a delivery loads one row at a time into
 * memory.
 */
const PAYLOAD_LENGTH_MAX = 4_000_000

const BATCH_ROWS_MAX = 100

export const webhookEvents: Subscriber = {
  enqueue: (ctx, tx, events) => {
    if (events.length === 0) return
    // Fast path: for most responses everything is cached, so that no query and no `await` is needed.
    const known = tx.dialect.name === 'sqlite' ? cachedSubscriptions(tx) : undefined
    if (known === undefined) return enqueueAll(ctx, tx, events)
    const subscribed = events.filter(({ name }) => isSubscribed(name, known))
    if (subscribed.length === 0) return
    const gathered = ctx.deferred === null ? null : gatherLoaded(ctx, tx, subscribed, known)
    return gathered ? [gathered] : enqueueAll(ctx, tx, events)
  },
  store: async (db, deferred) => {
    for (const same of Map.groupBy((deferred as DatasetEvents[][]).flat(), ({ subscriptions }) => subscriptions).values()) {
      const versions = Map.groupBy(same, ({ dataset }) => `${dataset.id} ${dataset.version}`)
      for (const some of versions.values()) await storeRows(db, some)
    }
  },
}

async function enqueueAll(ctx: Context, tx: Tx, events: readonly Event[]): Promise<DatasetEvents[] | undefined> {
  const subscriptions = await listSubscriptions(tx)
  if (subscriptions.length === 0) return
  const subscribed = events.filter(({ name }) => isSubscribed(name, subscriptions))
  const deferred: DatasetEvents[] = []
  for (const [datasetId, some] of Map.groupBy(subscribed, datasetIdOfEvent)) {
    const gathered = await gather(ctx, tx, { datasetId, events: some, subscriptions })
    if (gathered === null) continue
    if (ctx.deferred === null) await storeRows(tx, [gathered])
    // Collects the rows now, because rows read after this transaction may be newer.
    else deferred.push({ ...gathered, batches: [await collect(gathered.batches)] })
  }
  return deferred.length === 0 ? undefined : deferred
}

const isSubscribed = (name: EventName, subscriptions: readonly Subscription[]) =>
  subscriptions.some(({ events }) => events.has(name))

/** Events of one dataset in one transaction. */
interface DatasetEvents {
  dataset: { id: Id; version: string }
  content: string | null
  times: string
  occurredAt: string
  subscriptions: readonly Subscription[]
  /** In chunks; each is read when the iterator reaches it. */
  batches: Iterable<readonly EventWithRows[] | Promise<readonly EventWithRows[]>>
}

async function collect(batches: DatasetEvents['batches']): Promise<EventWithRows[]> {
  const all: EventWithRows[] = []
  for (const batch of batches) all.push(...(await batch))
  return all
}

/** Does the same as `gather` without queries, for events of one dataset; returns null if something is not in memory. */
function gatherLoaded(
  ctx: Context,
  tx: Tx,
  events: readonly Event[],
  subscriptions: readonly Subscription[],
): DatasetEvents | null {
  const { dataset: stored } = findLoadedDataset(events)
  if (!stored) return null
  const { version, times } = toWebhookDataset(tx, stored)
  const dataset = { id: stored.id, version }
  if (!isDatasetCached(tx, dataset)) return null
  const all: EventWithRows[] = []
  for (const event of events) {
    const loaded = datasetIdOfEvent(event) === stored.id ? toLoadedEvents(tx, event) : null
    if (loaded === null) return null
    all.push(...loaded)
  }
  return { dataset, content: null, times, occurredAt: ctx.now(), subscriptions, batches: [all] }
}

function toLoadedEvents(tx: Tx, event: Event): EventWithRows[] | null {
  if ('dataset' in event.payload) return null
  const { name } = event
  const { records = [], responses = [] } = rowsOf(event)
  const loaded: EventWithRows[] = []
  if (Math.max(records.length, responses.length) > BATCH_ROWS_MAX) return null
  if (responses.length === 0) {
    for (const record of records) {
      if (!isFullRecord(record)) return null
      loaded.push({ name, record, response: null, user: '' })
    }
  }
  for (const response of responses) {
    const user = findCachedUser(tx, response.user_id)
    const record = records.find(({ no }) => no === response.record_no)
    if (user === undefined || record === undefined || !isFullRecord(record)) return null
    loaded.push({ name, record, response, user })
  }
  return loaded
}

/** Wakes the webhook deliveries after a commit that may have stored rows. */
export const wakeWebhooks = (wake: () => void): Subscriber => ({
  tell: ({ db }, { events }) => {
    if (events.length === 0) return
    // Undefined means unknown: a rollback of another transaction may have cleared the cache.
    if (db.dialect.name === 'postgres' || cachedSubscriptions(db)?.length !== 0) wake()
  },
})

interface GatherInput {
  datasetId: Id
  events: readonly Event[]
  subscriptions: readonly Subscription[]
}

/** Returns null if the dataset was deleted and the events do not contain it. */
async function gather(ctx: Context, tx: Tx, { datasetId, events, subscriptions }: GatherInput): Promise<DatasetEvents | null> {
  const shown = await findWebhookDataset(tx, datasetId, findLoadedDataset(events))
  if (shown === null) return null
  const dataset = { id: datasetId, version: shown.version }
  const content = (await isDatasetStored(tx, dataset)) ? null : await shown.toContent()
  return { dataset, content, times: shown.times, occurredAt: ctx.now(), subscriptions, batches: readEventBatches(tx, events) }
}

function* readEventBatches(tx: Tx, events: readonly Event[]): Generator<EventWithRows[] | Promise<EventWithRows[]>> {
  for (const event of events) for (const some of splitRows(event)) yield readEvents(tx, event, some)
}

/**
 * Stores events of one version of one dataset: in one row unless they are very large, with the timestamps of the last
 * transaction.
 */
async function storeRows(db: Queryable, all: readonly DatasetEvents[]): Promise<void> {
  const last = all.at(-1)
  if (last === undefined) return
  const { dataset, times, occurredAt, subscriptions } = last
  const content = all.find(({ content }) => content !== null)?.content ?? null
  let batch = createBatch(times)
  const flush = async () => {
    const { groups, counts, payload } = batch.end()
    if (groups.length === 0) return
    await insertEventRow(db, {
      dataset,
      content,
      occurredAt,
      wantedBy: toSubscriptionsJson(counts, subscriptions),
      groups,
      payload,
    })
    batch = createBatch(times)
  }
  for (const { batches } of all) {
    for (const some of batches) {
      for (const one of some instanceof Promise ? await some : some) {
        batch.add(one)
        if (batch.length() > PAYLOAD_LENGTH_MAX) await flush()
      }
    }
  }
  await flush()
}

/** Splits the rows of an event into chunks, to limit memory and the length of `in` lists. */
function splitRows(event: Event): EventRows[] {
  const { records = [], responses = [] } = rowsOf(event)
  if ('dataset' in event.payload) return [{}]
  const rows = responses.length > 0 ? responses : records
  if (rows.length > 0 && rows.length <= BATCH_ROWS_MAX) return [responses.length > 0 ? { records, responses } : { records }]
  const starts = Array.from({ length: Math.ceil(rows.length / BATCH_ROWS_MAX) }, (_, index) => index * BATCH_ROWS_MAX)
  if (responses.length === 0) return starts.map(start => ({ records: records.slice(start, start + BATCH_ROWS_MAX) }))
  return starts.map(start => ({ records, responses: responses.slice(start, start + BATCH_ROWS_MAX) }))
}

/** Finds the parts of the dataset that the events contain. */
function findLoadedDataset(events: readonly Event[]): LoadedDataset {
  for (const event of events) {
    const { dataset, settings } = rowsOf(event)
    if (dataset) return { dataset }
    if (settings && 'dataset' in event.payload) return { deleted: event.payload.dataset, settings }
  }
  return {}
}

async function readEvents(tx: Tx, { name }: Event, { records = [], responses }: EventRows): Promise<EventWithRows[]> {
  if (responses) return readResponseEvents(tx, name, { records, responses })
  if (records.length === 0) return [{ name, record: null, response: null, user: '' }]
  return (await loadFullRecords(tx, records)).map(record => ({ name, record, response: null, user: '' }))
}

async function readResponseEvents(
  tx: Tx,
  name: EventName,
  { records, responses }: Required<Pick<EventRows, 'records' | 'responses'>>,
): Promise<EventWithRows[]> {
  const users = await loadUserTexts(tx, responses)
  const recordNos = new Set(responses.map(({ record_no }) => record_no))
  const rows = await loadFullRecords(
    tx,
    records.filter(({ no }) => recordNos.has(no)),
  )
  const byNo = new Map(rows.map(row => [row.no, row]))
  return responses.flatMap(response => {
    const record = byNo.get(response.record_no)
    return record ? [{ name, record, response, user: users.get(response.user_id) ?? 'null' }] : []
  })
}
