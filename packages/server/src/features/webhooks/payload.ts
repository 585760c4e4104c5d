/** Builds the body of a webhook request from the data stored when the event happened (events/subscribers/webhooks.ts). */
import type { EventName } from '@postil/domain/events'
import type { Json } from '@postil/domain/schema'
import { type EventContent, eventsOf } from './event-store.ts'

type Fields = Record<string, Json>
type Timed = Fields & { inserted_at: string; updated_at: string }

type StoredRecord = [
  id: Json,
  status: Json,
  fields: Json,
  metadata: Json,
  external_id: Json,
  inserted_at: string,
  updated_at: string,
]
/** `record` and `user` are indexes into the lists of records and users. */
type StoredResponse = [
  id: Json,
  values: Json,
  status: Json,
  record: number,
  user: number,
  inserted_at: string,
  updated_at: string,
]
type TimedResponse = Timed & { record: number; user: number }

interface Payload {
  /** Times of the dataset, which change more often than the rest. */
  times: Fields
  /** In rows stored by earlier releases, records and responses are objects. */
  records: (StoredRecord | Timed)[]
  users: Fields[]
  responses: (StoredResponse | TimedResponse)[]
  /** Index of each event's subject. In rows stored by earlier releases, one list per group of events. */
  places: (number | number[])[]
}

/** A parsed row of events, from which bodies are built. */
export interface ParsedEvents {
  bodyOf(position: number): string
}

export function parseEvents({ occurred_at, groups, dataset, payload }: EventContent): ParsedEvents {
  const stored = JSON.parse(payload) as Payload
  const content = { ...stored, dataset: { ...(JSON.parse(dataset) as Fields), ...stored.times } }
  const events = [...eventsOf(groups)]
  const places = stored.places.flat()
  return {
    bodyOf: position => {
      const [event, place] = [events[position], places[position]]
      if (event === undefined || place === undefined)
        throw new Error(`A row of webhook events has no event at position ${position}`)
      return toBody(event.name, occurred_at, dataOf(content, event.name, place))
    },
  }
}

/** `time` has the API format without a time zone; the envelope adds UTC. */
export const toBody = (type: EventName | 'ping', time: string, data: object): string =>
  JSON.stringify({ type, version: 1, timestamp: `${time}Z`, data })

type Content = Payload & { dataset: Fields }

function dataOf(content: Content, name: EventName, place: number): object {
  if (name.startsWith('dataset.')) return content.dataset
  return name.startsWith('record.') ? toRecord(content, place) : toResponse(content, place)
}

function toRecord({ dataset, records }: Content, place: number): object {
  const { inserted_at, updated_at, ...record } = nameRecord(records[place] as StoredRecord | Timed)
  return { ...record, dataset, inserted_at, updated_at }
}

function toResponse(content: Content, place: number): object {
  const stored = nameResponse(content.responses[place] as StoredResponse | TimedResponse)
  const { record, user, inserted_at, updated_at, ...response } = stored
  return { ...response, record: toRecord(content, record), user: content.users[user], inserted_at, updated_at }
}

function nameRecord(stored: StoredRecord | Timed): Timed {
  if (!Array.isArray(stored)) return stored
  const [id, status, fields, metadata, external_id, inserted_at, updated_at] = stored
  return { id, status, fields, metadata, external_id, inserted_at, updated_at }
}

function nameResponse(stored: StoredResponse | TimedResponse): TimedResponse {
  if (!Array.isArray(stored)) return stored
  const [id, values, status, record, user, inserted_at, updated_at] = stored
  return { id, values, status, record, user, inserted_at, updated_at }
}
