/**
 * Everything that can happen, as use cases say it. Payloads are plural: one event for a thousand records, so that cost
 * follows requests and not rows.
 */
import type { Dataset } from './datasets.ts'
import type { Id } from './schema.ts'

interface DatasetEvent {
  dataset: Dataset
}

interface RecordsEvent {
  dataset_id: Id
  record_ids: Id[]
}

interface ResponsesEvent {
  dataset_id: Id
  response_ids: Id[]
}

interface EventPayloads {
  'dataset.created': DatasetEvent
  'dataset.updated': DatasetEvent
  'dataset.published': DatasetEvent
  'dataset.deleted': DatasetEvent
  'record.created': RecordsEvent
  'record.updated': RecordsEvent
  'record.completed': RecordsEvent
  'record.deleted': RecordsEvent
  'response.created': ResponsesEvent
  'response.updated': ResponsesEvent
  'response.deleted': ResponsesEvent
}

export type EventName = keyof EventPayloads
export type EventPayload<N extends EventName> = EventPayloads[N]

export const EVENT_NAMES = [
  'dataset.created',
  'dataset.updated',
  'dataset.published',
  'dataset.deleted',
  'record.created',
  'record.updated',
  'record.completed',
  'record.deleted',
  'response.created',
  'response.updated',
  'response.deleted',
] as const satisfies EventName[]
