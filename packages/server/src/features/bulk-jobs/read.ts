import type { BulkJob, BulkJobSummary } from '@postil/domain/bulk-jobs'
import { allow } from '@postil/domain/errors'
import { canSearchOwnRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import { listBulkJobsOf, loadBulkJob, toBulkJob, toSummary } from './store.ts'

export async function getBulkJob(ctx: RequestContext, jobId: Id): Promise<BulkJob> {
  return toBulkJob(await loadBulkJob(ctx.db, jobId, ctx.actor.id))
}

export function listBulkJobs(ctx: RequestContext, datasetId: Id): Promise<{ items: BulkJobSummary[] }> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(canSearchOwnRecords(ctx.actor, dataset))
    return { items: (await listBulkJobsOf(db, dataset.id, ctx.actor.id)).map(toSummary) }
  })
}
