import { JOB_STATUSES, JOBS_LISTED_MAX, JobDetails, JobPage } from '../jobs.ts'
import { Int, OneOf, Optional, Shape, type Static, Text } from '../schema.ts'
import { JobParams } from './params.ts'
import { route } from './route.ts'

const tag = 'jobs'

const JobsQuery = Shape({
  status: Optional(OneOf(JOB_STATUSES)),
  name: Optional(Text(1, 100)),
  limit: Optional(Int({ minimum: 1, maximum: JOBS_LISTED_MAX, default: 50 })),
  before: Optional(Text(1, 100)),
})
export type JobsQuery = Static<typeof JobsQuery>

export const listJobs = route({
  id: 'listJobs',
  method: 'GET',
  path: '/api/v1/jobs',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Background jobs, newest first: for owners',
  query: JobsQuery,
  response: JobPage,
})

export const retryJob = route({
  id: 'retryJob',
  method: 'POST',
  path: '/api/v1/jobs/:job_id/retry',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Run a failed job again, from where it failed: for owners',
  params: JobParams,
  response: JobDetails,
})

export const cancelJob = route({
  id: 'cancelJob',
  method: 'POST',
  path: '/api/v1/jobs/:job_id/cancel',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Cancel a job that waits or runs, if its kind allows it: for owners',
  params: JobParams,
  response: JobDetails,
})

export const jobRoutes = [listJobs, retryJob, cancelJob]
