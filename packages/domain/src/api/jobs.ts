import { JOB_STATUSES, JobDetails } from '../jobs.ts'
import { Int, List, Nullable, OneOf, Optional, Shape, Text } from '../schema.ts'
import { JobParams } from './params.ts'
import { route } from './route.ts'

const tag = 'jobs'

export const listJobs = route({
  id: 'listJobs',
  method: 'GET',
  path: '/api/v1/jobs',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Background jobs, newest first',
  query: Shape({
    status: Optional(OneOf(JOB_STATUSES)),
    name: Optional(Text()),
    limit: Optional(Int()),
    before: Optional(Text()),
  }),
  response: Shape({ items: List(JobDetails), next: Nullable(Text()) }),
})
export const retryJob = route({
  id: 'retryJob',
  method: 'POST',
  path: '/api/v1/jobs/:job_id/retry',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Run a failed job again',
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
  summary: 'Cancel a job',
  params: JobParams,
  response: JobDetails,
})

export const jobRoutes = [listJobs, retryJob, cancelJob]
