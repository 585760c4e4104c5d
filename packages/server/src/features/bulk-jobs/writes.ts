/** What a search thread has the writer do once the records of a bulk job are found. Served, but not a contract. */
import { route } from '@postil/domain/api/route'
import { BulkJob, BulkRequest } from '@postil/domain/bulk-jobs'
import { Id, Int, List, Nullable, Shape, type Static } from '@postil/domain/schema'

const BulkStart = Shape({
  dataset_id: Id,
  request: BulkRequest,
  /** The matches of its query; null if the request names its records. Numbers, because they are short: a call may wait. */
  record_nos: Nullable(List(Int())),
})
export type BulkStart = Static<typeof BulkStart>

export const startBulkJob = route({
  id: 'startBulkJob',
  method: 'POST',
  path: '',
  tag: 'inner',
  runs: 'writer',
  summary: 'Start a bulk job for the records that were found',
  status: 202,
  body: BulkStart,
  response: BulkJob,
})
