import * as api from '@postil/domain/api/info'
import { type Served, serve } from '../../http/serve.ts'
import { getJob } from './get.ts'

export const jobRoutes: Served[] = [serve(api.getJob, (ctx, { params }) => getJob(ctx, params.job_id))]
