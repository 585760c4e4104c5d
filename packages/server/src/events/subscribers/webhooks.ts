/**
 * Writes what webhooks want to know into the transaction in which it happens: one row for each dataset, however many events, records and
 * webhooks there are (decision 0028); transactions that share a commit share the row too. Deliveries are made from these rows later (features/webhooks/exchange.ts).
 */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { RecordRow } from '../../features/records/store.ts'
import { type EventGroup, insertEventRow, isDatasetKept, type Wanted } from '../../features/webhooks/event-store.ts'
import { keptSubscriptions, listSubscriptions, type Subscription } from '../../features/webhooks/store.ts'
import type { Queryable } from '../../storage/database.ts'
import type { Tx } from '../../storage/write.ts'
import { type Event, type EventRows, rowsOf } from '../emit.ts'
import type { Subscriber } from './all.ts'
import {
  datasetIdOf,
  findShownDataset,
  type KnownDataset,
  recordText,
  responseText,
  userTexts,
  wholeRecords,
} from './webhook-content.ts'

/** A row with more content is ended, and the next one begun: whoever delivers has one row in memory at a time. */
const PAYLOAD_LENGTH_MAX = 4_000_000

const PIECE_MAX = 100

export const webhookEvents: Subscriber = {
  enqueue: async (ctx, tx, events) => {
    if (events.length === 0) return
    const subscriptions = await listSubscriptions(tx)
    if (subscriptions.length === 0) return
    const wanted = events.filter(({ name }) => subscriptions.some(({ events: names }) => names.has(name)))
    const left: Gathered[] = []
    for (const [datasetId, some] of Map.groupBy(wanted, datasetIdOf)) {
      const gathered = await gather(ctx, tx, { datasetId, events: some, subscriptions })
      if (gathered === null) continue
      if (ctx.left === null) await storeRows(tx, [gathered])
      // What is read after this transaction may be newer than it.
      else left.push({ ...gathered, additions: await Array.fromAsync(gathered.additions) })
    }
    return left.length === 0 ? undefined : left
  },
  store: async (db, left) => {
    for (const same of Map.groupBy((left as Gathered[][]).flat(), ({ subscriptions }) => subscriptions).values()) {
      const versions = Map.groupBy(same, ({ dataset }) => `${dataset.id} ${dataset.version}`)
      for (const some of versions.values()) await storeRows(db, some)
    }
  },
}

/** What one transaction tells of one dataset. */
interface Gathered {
  dataset: { id: Id; version: string }
  content: string | null
  times: string
  occurredAt: string
  subscriptions: readonly Subscription[]
  additions: AsyncIterable<Addition> | readonly Addition[]
}

/** Says that rows may have been written, once they are committed. */
export const tellWebhooks = (wake: () => void): Subscriber => ({
  tell: ({ db }, { events }) => {
    if (events.length === 0) return
    // Not known: they may have been forgotten because another transaction was undone.
    if (db.dialect.name === 'postgres' || keptSubscriptions(db)?.length !== 0) wake()
  },
})

interface Wanting {
  datasetId: Id
  events: readonly Event[]
  subscriptions: readonly Subscription[]
}

/** Null if the dataset is gone. */
async function gather(ctx: Context, tx: Tx, { datasetId, events, subscriptions }: Wanting): Promise<Gathered | null> {
  const shown = await findShownDataset(tx, datasetId, knownOf(events))
  if (shown === null) return null
  const dataset = { id: datasetId, version: shown.version }
  const content = (await isDatasetKept(tx, dataset)) ? null : await shown.toContent()
  return { dataset, content, times: shown.times, occurredAt: ctx.now(), subscriptions, additions: additionsOfAll(tx, events) }
}

async function* additionsOfAll(tx: Tx, events: readonly Event[]): AsyncGenerator<Addition> {
  for (const event of events) for (const some of piecesOf(event)) yield* await additionsOf(tx, event, some)
}

/** All about one version of one dataset: one row, unless it is very large. Times are those of the last. */
async function storeRows(db: Queryable, all: readonly Gathered[]): Promise<void> {
  const last = all.at(-1)
  if (last === undefined) return
  const { dataset, times, occurredAt, subscriptions } = last
  const content = all.find(({ content }) => content !== null)?.content ?? null
  let batch = openBatch(times)
  const flush = async () => {
    const { groups, payload } = batch.end()
    if (groups.length === 0) return
    await insertEventRow(db, { dataset, content, occurredAt, wantedBy: wantedText(groups, subscriptions), groups, payload })
    batch = openBatch(times)
  }
  for (const { additions } of all) {
    for await (const add of additions) {
      add(batch)
      if (batch.length() > PAYLOAD_LENGTH_MAX) await flush()
    }
  }
  await flush()
}

/** Rows of an event, few enough that a list of them is a short statement and that they take little memory. */
function piecesOf(event: Event): EventRows[] {
  const { records = [], responses = [] } = rowsOf(event)
  if ('dataset' in event.payload) return [{}]
  const rows = responses.length > 0 ? responses : records
  if (rows.length > 0 && rows.length <= PIECE_MAX) return [responses.length > 0 ? { records, responses } : { records }]
  const starts = Array.from({ length: Math.ceil(rows.length / PIECE_MAX) }, (_, index) => index * PIECE_MAX)
  if (responses.length === 0) return starts.map(start => ({ records: records.slice(start, start + PIECE_MAX) }))
  return starts.map(start => ({ records, responses: responses.slice(start, start + PIECE_MAX) }))
}

/** What is known of the dataset without reading it. */
function knownOf(events: readonly Event[]): KnownDataset {
  for (const event of events) {
    const { dataset, settings } = rowsOf(event)
    if (dataset) return { dataset }
    if (settings && 'dataset' in event.payload) return { deleted: event.payload.dataset, settings }
  }
  return {}
}

type Addition = (batch: Batch) => void

async function additionsOf(tx: Tx, { name }: Event, { records = [], responses }: EventRows): Promise<Addition[]> {
  if (responses) return responseAdditions(tx, name, { records, responses })
  if (records.length === 0) return [batch => batch.add(name, null, 0)]
  const rows = await wholeRecords(tx, records)
  return rows.map(row => batch => batch.add(name, row.id, batch.record(row)))
}

async function responseAdditions(
  tx: Tx,
  name: EventName,
  { records, responses }: Required<Pick<EventRows, 'records' | 'responses'>>,
): Promise<Addition[]> {
  const users = await userTexts(tx, responses)
  const recordNos = new Set(responses.map(({ record_no }) => record_no))
  const rows = await wholeRecords(
    tx,
    records.filter(({ no }) => recordNos.has(no)),
  )
  const byNo = new Map(rows.map(row => [row.no, row]))
  return responses.flatMap(response => {
    const record = byNo.get(response.record_no)
    if (!record) return []
    return (batch: Batch) => {
      const user = batch.user(users.get(response.user_id) ?? 'null')
      const recordPlace = batch.record(record)
      batch.add(name, record.id, batch.response(responseText(response, recordPlace, user)))
    }
  })
}

interface Batch {
  /** Each answers the place in its list; what is there already is not added again. */
  record(row: RecordRow): number
  user(text: string): number
  response(text: string): number
  add(name: EventName, recordId: Id | null, place: number): void
  length(): number
  end(): { groups: EventGroup[]; payload: string }
}

function openBatch(times: string): Batch {
  const [records, users] = [openList(), openList()]
  const responses: string[] = []
  const groups: EventGroup[] = []
  /** For each group, the places of what its events are about. */
  const places: number[][] = []
  let length = times.length
  const put = (list: List, key: string, toText: () => string) => {
    const known = list.places.get(key)
    if (known !== undefined) return known
    const text = toText()
    length += text.length
    list.places.set(key, list.texts.length)
    return list.texts.push(text) - 1
  }
  return {
    // A record may have changed between two transactions of a group.
    record: row => put(records, `${row.id} ${row.updated_at} ${row.status}`, () => recordText(row)),
    user: text => put(users, text, () => text),
    response: text => {
      length += text.length
      return responses.push(text) - 1
    },
    add: (name, recordId, place) => {
      if (groups.at(-1)?.[0] !== name) {
        groups.push([name, []])
        places.push([])
      }
      groups.at(-1)?.[1].push(recordId)
      places.at(-1)?.push(place)
    },
    length: () => length,
    end: () => ({
      groups,
      payload:
        `{"times":${times},"records":[${records.texts.join()}],"users":[${users.texts.join()}],` +
        `"responses":[${responses.join()}],"places":${JSON.stringify(places)}}`,
    }),
  }
}

interface List {
  texts: string[]
  places: Map<string, number>
}

const openList = (): List => ({ texts: [], places: new Map() })

/** By the list of subscriptions, which is kept as long as webhooks do not change. Submitted responses are all alike. */
const wantedTexts = new WeakMap<readonly Subscription[], Map<string, string>>()
const WANTED_TEXTS_MAX = 100

function wantedText(groups: readonly EventGroup[], subscriptions: readonly Subscription[]): string {
  const texts = wantedTexts.get(subscriptions) ?? new Map<string, string>()
  wantedTexts.set(subscriptions, texts)
  let key = ''
  for (const [name, ids] of groups) key += `${name} ${ids.length} `
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = JSON.stringify(toWanted(groups, subscriptions))
  if (texts.size >= WANTED_TEXTS_MAX) texts.clear()
  texts.set(key, text)
  return text
}

function toWanted(groups: readonly EventGroup[], subscriptions: readonly Subscription[]): Wanted[] {
  return subscriptions.flatMap(({ no, events }): Wanted[] => {
    const own = groups.flatMap(([name], index) => (events.has(name) ? index : []))
    const count = own.reduce((sum, index) => sum + (groups[index]?.[1].length ?? 0), 0)
    return count === 0 ? [] : [[no, count, own]]
  })
}
