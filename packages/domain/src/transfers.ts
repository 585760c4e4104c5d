/** Queued and running imports and exports, for users who manage the datasets. */
import { JobProgress } from './jobs.ts'
import { Id, List, Nullable, OneOf, Shape, type Static, Text, Timestamp } from './schema.ts'

export const TRANSFERS_MAX = 100

const Transfer = Shape({
  /** Id of the job. */
  id: Text(),
  dataset_id: Id,
  kind: OneOf(['import', 'export']),
  status: OneOf(['queued', 'started']),
  /** Null until it is known. */
  progress: Nullable(JobProgress),
  /** Error of the last attempt. The job is retried. */
  error: Nullable(Text()),
  inserted_at: Timestamp,
})
export type Transfer = Static<typeof Transfer>

export const Transfers = Shape({ items: List(Transfer) })
export type Transfers = Static<typeof Transfers>
