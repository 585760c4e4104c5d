/** Server-sent events for users who have a dataset open. */
import { DatasetProgress, MyDatasetMetrics } from './datasets.ts'
import type { JobStatus } from './jobs.ts'
import type { ResponseStatus } from './responses.ts'
import { type Id, Shape, type Static } from './schema.ts'

/** Data of the `progress` event. */
export const DatasetLive = Shape({ progress: DatasetProgress, metrics: MyDatasetMetrics })
export type DatasetLive = Static<typeof DatasetLive>

export const SETTINGS_PARTS = ['dataset', 'fields', 'questions', 'metadata_properties', 'vectors_settings'] as const
export type SettingsPart = (typeof SETTINGS_PARTS)[number]

/** Data of each event except `progress`, which the server sends on its own schedule. */
export interface LiveData {
  'record-completed': { record_id: Id }
  'response-changed': { record_id: Id; status: ResponseStatus | null; updated_at: string }
  'settings-changed': { what: SettingsPart }
  comment: { record_id: Id; comment_id: Id; deleted: boolean }
  job: { id: Id; status: JobStatus }
  'many-changes': Record<never, never>
  'dataset-deleted': Record<never, never>
}
export type LiveName = keyof LiveData

/** Every event of the stream with its description. The reference page is generated from this list. */
export const LIVE_EVENTS: { readonly [N in LiveName | 'progress']: string } = {
  progress: 'the dataset’s progress and the caller’s metrics, first and when they changed: once a second at most',
  'record-completed': 'a record was completed: `record_id`',
  'response-changed':
    'a response of the caller was changed or, with a null `status`, deleted: `record_id`, `status`, `updated_at`',
  'settings-changed': `something of the dataset was changed: \`what\`, one of ${SETTINGS_PARTS.join(', ')}`,
  comment: 'somebody commented on a record, or deleted a comment: `record_id`, `comment_id`, `deleted`',
  job: 'a job of the dataset started or ended: `id`, `status`',
  'many-changes': 'more happened than is worth telling one by one: what is shown should be loaded again',
  'dataset-deleted': 'the dataset was deleted; the stream ends',
}
