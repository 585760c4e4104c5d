import { BulkJob, BulkJobSummary, BulkRequest } from '../bulk-jobs.ts'
import { Items } from '../schema.ts'
import { BulkJobParams, DatasetParams } from './params.ts'
import { route } from './route.ts'

const tag = 'jobs'

export const createBulkJob = route({
  id: 'createBulkJob',
  method: 'POST',
  path: '/api/v1/me/datasets/:dataset_id/responses/by-filter',
  tag,
  status: 202,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  endsOnWriter: true,
  summary: 'Give one answer to all records that match, or to those named, by a job',
  params: DatasetParams,
  body: BulkRequest,
  response: BulkJob,
})

export const listBulkJobs = route({
  id: 'listBulkJobs',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/bulk-jobs',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'The caller’s last 20 bulk jobs in a dataset, newest first',
  params: DatasetParams,
  response: Items(BulkJobSummary),
})

export const getBulkJob = route({
  id: 'getBulkJob',
  method: 'GET',
  path: '/api/v1/me/bulk-jobs/:job_id',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'How far a bulk job of the caller is, and what failed',
  params: BulkJobParams,
  response: BulkJob,
})

export const cancelBulkJob = route({
  id: 'cancelBulkJob',
  method: 'POST',
  path: '/api/v1/me/bulk-jobs/:job_id/cancel',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Stop a bulk job; what it has done stays',
  params: BulkJobParams,
  response: BulkJob,
})

export const undoBulkJob = route({
  id: 'undoBulkJob',
  method: 'POST',
  path: '/api/v1/me/bulk-jobs/:job_id/undo',
  tag,
  status: 202,
  runs: 'writer',
  summary: 'Bring back the responses that a bulk job replaced, where they were not changed since, by a job',
  params: BulkJobParams,
  response: BulkJob,
})

export const bulkJobRoutes = [createBulkJob, listBulkJobs, getBulkJob, cancelBulkJob, undoBulkJob]
