/** Builds the row that is stored for webhooks: each record and each user is stored once, and events refer to them by index. */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { RecordRow } from '../../features/records/store.ts'
import type { ResponseRow } from '../../features/responses/store.ts'
import type { EventGroup, EventSubscribers } from '../../features/webhooks/event-store.ts'
import type { Subscription } from '../../features/webhooks/store.ts'

/** An event with the row it is about: a record, a response with its record, or none for events of datasets. */
export interface EventWithRows {
  name: EventName
  record: RecordRow | null
  response: ResponseRow | null
  /** Author of the response, as JSON. */
  user: string
}

export interface Batch {
  add(event: EventWithRows): void
  length(): number
  end(): { groups: EventGroup[]; counts: Counts; payload: string }
}

/** Number of events by name. */
type Counts = ReadonlyMap<EventName, number>

const quote = JSON.stringify

/**
 * Uses arrays instead of objects, because these rows are written with every response and should be small. `payload.ts` names the
 * elements.
 */
const recordText = (row: RecordRow): string =>
  `["${row.id}","${row.status}",${row.fields},${row.metadata ?? 'null'},${quote(row.external_id)},"${row.inserted_at}","${row.updated_at}"]`

const responseText = (row: ResponseRow, record: number, user: number): string =>
  `["${row.id}",${row.values},"${row.status}",${record},${user},"${row.inserted_at}","${row.updated_at}"]`

/** `times` are the timestamps of the dataset, as JSON. */
export function createBatch(times: string): Batch {
  const [records, users] = [createList(), createList()]
  const responses: string[] = []
  const places: number[] = []
  const groups = createGroups()
  let length = times.length
  let last: { row: RecordRow; place: number } | null = null
  const put = (list: List, key: string, toText: () => string) => {
    const known = list.places.get(key)
    if (known !== undefined) return known
    const text = toText()
    length += text.length
    list.places.set(key, list.texts.length)
    return list.texts.push(text) - 1
  }
  const putRecord = (row: RecordRow) => {
    // The key contains more than the id because a record may change between two transactions of a group.
    if (last?.row !== row) last = { row, place: put(records, `${row.id} ${row.updated_at} ${row.status}`, () => recordText(row)) }
    return last.place
  }
  const putResponse = (row: ResponseRow, record: number, user: string) => {
    const text = responseText(
      row,
      record,
      put(users, user, () => user),
    )
    length += text.length
    return responses.push(text) - 1
  }
  return {
    add: ({ name, record, response, user }) => {
      groups.add(name, record?.id ?? null)
      const place = record === null ? 0 : putRecord(record)
      places.push(response === null ? place : putResponse(response, place, user))
    },
    length: () => length,
    end: () => ({
      ...groups.end(),
      payload:
        `{"times":${times},"records":[${records.texts.join()}],"users":[${users.texts.join()}],` +
        `"responses":[${responses.join()}],"places":[${places.join()}]}`,
    }),
  }
}

interface List {
  texts: string[]
  places: Map<string, number>
}

const createList = (): List => ({ texts: [], places: new Map() })

/**
 * Groups events in their order. Responses that share a commit have the same events for one record after the other, so a group
 * stores the event names once, with the ids of all its records.
 */
function createGroups() {
  const groups: EventGroup[] = []
  const counts = new Map<EventName, number>()
  /** Consecutive events about one record. */
  let open: { names: EventName[]; recordId: Id | null } | null = null
  const close = () => {
    if (open === null) return
    const { names, recordId } = open
    const last = groups.at(-1)
    if (last && last[0].length === names.length && last[0].every((name, index) => name === names[index])) last[1].push(recordId)
    else groups.push([names, [recordId]])
    open = null
  }
  return {
    add: (name: EventName, recordId: Id | null) => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (open?.recordId === recordId) return void open.names.push(name)
      close()
      open = { names: [name], recordId }
    },
    end: () => {
      close()
      return { groups, counts }
    },
  }
}

/**
 * Cache, because most submitted responses have the same events. Its key is the cached list of subscriptions, which is replaced
 * when webhooks change.
 */
const subscriptionsJsonCache = new WeakMap<readonly Subscription[], Map<string, string>>()
const WANTED_TEXTS_MAX = 100

export function toSubscriptionsJson(counts: Counts, subscriptions: readonly Subscription[]): string {
  const texts = subscriptionsJsonCache.get(subscriptions) ?? new Map<string, string>()
  subscriptionsJsonCache.set(subscriptions, texts)
  let key = ''
  for (const [name, count] of counts) key += `${name} ${count} `
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = JSON.stringify(toWantedBy(counts, subscriptions))
  if (texts.size >= WANTED_TEXTS_MAX) texts.clear()
  texts.set(key, text)
  return text
}

function toWantedBy(counts: Counts, subscriptions: readonly Subscription[]): EventSubscribers[] {
  const namesOf = ({ events }: Subscription) => [...counts.keys()].filter(name => events.has(name))
  return [...Map.groupBy(subscriptions, own => namesOf(own).join()).values()].flatMap((same): EventSubscribers[] => {
    const names = same[0] ? namesOf(same[0]) : []
    const count = names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0)
    return count === 0 ? [] : [[same.map(({ no }) => no), count, names]]
  })
}
