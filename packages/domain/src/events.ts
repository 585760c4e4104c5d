/**
 * All events that use cases emit. A payload holds many items, so that one event covers a thousand records and the cost depends on
 * requests, not rows.
 */
import type { Dataset } from './datasets.ts'
import type { SettingsPart } from './live.ts'
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

export interface EventPayloads {
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
export type DatasetEventName = Extract<EventName, `dataset.${string}`>
export type RecordEventName = Extract<EventName, `record.${string}`>
export type ResponseEventName = Extract<EventName, `response.${string}`>

/** Every event with the time it happens. The reference page is generated from this list. */
export const EVENTS: { readonly [N in EventName]: string } = {
  'dataset.created': 'a dataset is created',
  'dataset.updated': 'a dataset is patched, even when nothing changes; not when its fields or questions change',
  'dataset.published': 'a dataset is published',
  'dataset.deleted': 'a dataset is deleted',
  'record.created': 'records are added',
  'record.updated': 'records are changed, or their status is',
  'record.completed': 'a record gets enough submitted responses through the response routes, or a lower `min_submitted`',
  'record.deleted': 'records are deleted; not when they vanish with their dataset',
  'response.created': 'a response is given through the response routes',
  'response.updated': 'a response is changed through the response routes',
  'response.deleted': 'a response is deleted through its route',
}

/** Changes that are only written to the change log, for its readers. They are not sent as events. */
export type LoggedName =
  /** Texts of existing records were written to the text index. No data changed. */
  | 'dataset.indexed'
  | 'settings.updated'
  | 'suggestion.updated'
  | 'suggestion.deleted'
  | 'comment.created'
  | 'comment.deleted'
  | 'flag.created'
  | 'flag.deleted'
  /** A user was deleted, with their responses, flags and comments on these records. */
  | 'user.deleted'
  /** Names of a user who responded or commented in this dataset changed. */
  | 'user.updated'

/** Type of an entry of the change log. */
export type ChangeName = EventName | LoggedName

/** Properties of an entry of the change log besides the affected records. */
export interface ChangeDetails {
  /** Ids of deleted records. */
  record_ids?: Id[]
  response_ids?: Id[]
  suggestion_ids?: Id[]
  comment_ids?: Id[]
  user_id?: Id
  settings?: SettingsPart
}
