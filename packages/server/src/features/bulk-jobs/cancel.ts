import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { cancelJob } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { deletePieces, loadBulkJob, statusOf, toBulkJob, updateProgress } from './store.ts'

/** Stops a job after the piece that runs; one that has ended stays as it is. */
export function cancelBulkJob(ctx: RequestContext, jobId: Id): Promise<BulkJob> {
  return write(ctx, async tx => {
    const job = await loadBulkJob(tx, jobId, ctx.actor.id)
    if (!['queued', 'started'].includes(statusOf(job))) return toBulkJob(job)
    const now = ctx.now()
    const canceled = { ...job, status: 'canceled', finished_at: now }
    await updateProgress(tx, canceled)
    await deletePieces(tx, job.id)
    await cancelJob(tx, job.id, now)
    return toBulkJob(canceled)
  })
}
