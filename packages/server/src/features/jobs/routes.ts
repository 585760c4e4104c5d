import * as info from '@postil/domain/api/info'
import * as api from '@postil/domain/api/jobs'
import { type Served, serve } from '../../http/serve.ts'
import { cancelJob } from './cancel.ts'
import { getJob } from './get.ts'
import { listJobs } from './list.ts'
import { retryJob } from './retry.ts'

export const jobRoutes: Served[] = [
  serve(info.getJob, (ctx, { params }) => getJob(ctx, params.job_id)),
  serve(api.listJobs, (ctx, { query }) => listJobs(ctx, query)),
  serve(api.retryJob, (ctx, { params }) => retryJob(ctx, params.job_id)),
  serve(api.cancelJob, (ctx, { params }) => cancelJob(ctx, params.job_id)),
]
