import * as api from '@postil/domain/api/bulk-jobs'
import { deleteRecordsByFilter as deletion } from '@postil/domain/api/dataset-changes'
import { serve } from '../../http/serve.ts'
import { admitMember, admitWriter } from './admit.ts'
import { cancelBulkJob } from './cancel.ts'
import { createBulkJob, startBulkJob, undoBulkJob } from './create.ts'
import { deleteRecordsByFilter, startDeletion } from './delete-records.ts'
import { getBulkJob, listBulkJobs } from './read.ts'
import * as writes from './writes.ts'

export const bulkJobRoutes = [
  serve(api.createBulkJob, (ctx, { params, body }) => createBulkJob(ctx, params.dataset_id, body), admitMember),
  serve(writes.startBulkJob, (ctx, { body }) => startBulkJob(ctx, body)),
  serve(api.listBulkJobs, (ctx, { params }) => listBulkJobs(ctx, params.dataset_id)),
  serve(api.getBulkJob, (ctx, { params }) => getBulkJob(ctx, params.job_id)),
  serve(api.cancelBulkJob, (ctx, { params }) => cancelBulkJob(ctx, params.job_id)),
  serve(api.undoBulkJob, (ctx, { params }) => undoBulkJob(ctx, params.job_id)),
  serve(deletion, (ctx, { params, body }) => deleteRecordsByFilter(ctx, params.dataset_id, body), admitWriter),
  serve(writes.startDeletion, (ctx, { body }) => startDeletion(ctx, body)),
]
