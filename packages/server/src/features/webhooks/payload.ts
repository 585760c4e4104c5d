/** The body of a request to a webhook, from what was stored when the event happened (events/subscribers/webhooks.ts). */
import type { EventName } from '@postil/domain/events'
import type { Json } from '@postil/domain/schema'
import type { EventContent } from './event-store.ts'

type Fields = Record<string, Json>
type Timed = Fields & { inserted_at: string; updated_at: string }

interface Payload {
  /** Times of the dataset, which change more often than the rest. */
  times: Fields
  records: Timed[]
  users: Fields[]
  /** `record` and `user` are places in the lists above. */
  responses: (Timed & { record: number; user: number })[]
  /** For each group of events, the places of what its events are about. */
  places: number[][]
}

/** A row of events, ready to make bodies from. */
export interface OpenedEvents {
  bodyOf(position: number): string
}

export function openEvents({ occurred_at, groups, dataset, payload }: EventContent): OpenedEvents {
  const stored = JSON.parse(payload) as Payload
  const content = { ...stored, dataset: { ...(JSON.parse(dataset) as Fields), ...stored.times } }
  return {
    bodyOf: position => {
      const { name, place } = findEvent({ groups, places: content.places }, position)
      return toBody(name, occurred_at, dataOf(content, name, place))
    },
  }
}

/** `time` as the API writes times; the envelope has a zone. */
export const toBody = (type: EventName | 'ping', time: string, data: object): string =>
  JSON.stringify({ type, version: 1, timestamp: `${time}Z`, data })

function findEvent({ groups, places }: Pick<EventContent, 'groups'> & Pick<Payload, 'places'>, position: number) {
  let left = position
  for (const [index, [name]] of groups.entries()) {
    const own = places[index] ?? []
    const place = own[left]
    if (place !== undefined) return { name, place }
    left -= own.length
  }
  throw new Error(`A row of webhook events has no event at position ${position}`)
}

type Content = Payload & { dataset: Fields }

function dataOf(content: Content, name: EventName, place: number): object {
  if (name.startsWith('dataset.')) return content.dataset
  return name.startsWith('record.') ? toRecord(content, place) : toResponse(content, place)
}

function toRecord({ dataset, records }: Content, place: number): object {
  const { inserted_at, updated_at, ...record } = records[place] as Timed
  return { ...record, dataset, inserted_at, updated_at }
}

function toResponse(content: Content, place: number): object {
  const { record, user, inserted_at, updated_at, ...response } = content.responses[place] as Payload['responses'][number]
  return { ...response, record: toRecord(content, record), user: content.users[user], inserted_at, updated_at }
}
