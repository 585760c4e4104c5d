/**
 * Internal routes by which a search thread has the writer start a bulk job after the records are found. They are not part of the
 * API.
 */
import { route } from '@postil/domain/api/route'
import { BulkJob, BulkRequest } from '@postil/domain/bulk-jobs'
import { RecordsDeletion } from '@postil/domain/dataset-changes'
import { Id, Int, List, Nullable, Shape, type Static } from '@postil/domain/schema'

const BulkStart = Shape({
  dataset_id: Id,
  request: BulkRequest,
  /** Matches of the query; null if the request lists its records. Numbers instead of ids keep a queued call small. */
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

const DeletionStart = Shape({ dataset_id: Id, request: RecordsDeletion, record_nos: List(Int()) })
export type DeletionStart = Static<typeof DeletionStart>

export const startDeletion = route({
  id: 'startDeletion',
  method: 'POST',
  path: '',
  tag: 'inner',
  runs: 'writer',
  summary: 'Start a job that deletes the records that were found',
  status: 202,
  body: DeletionStart,
  response: BulkJob,
})
