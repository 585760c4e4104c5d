import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { notice } from '../../events/emit.ts'
import { cancelJob } from '../../jobs/queue.ts'
import { type Tx, write } from '../../storage/write.ts'
import { deletePieces, findBulkJob, loadBulkJob, lockBulkJob, statusOf, toBulkJob, updateProgress } from './store.ts'

/** Stops a job after the batch that is running. A job that has ended remains unchanged. */
export function cancelBulkJob(ctx: RequestContext, jobId: Id): Promise<BulkJob> {
  return write(ctx, async tx => {
    await lockBulkJob(tx, jobId)
    const job = await loadBulkJob(tx, jobId, ctx.actor.id)
    if (!['queued', 'started'].includes(statusOf(job))) return toBulkJob(job)
    const now = ctx.now()
    await cancelBulk(tx, jobId, now)
    await cancelJob(tx, jobId, now)
    const { dataset_id, user_id } = job
    notice(tx, { name: 'job', dataset_id, user_id, data: { id: jobId, status: 'canceled' } })
    return toBulkJob(await loadBulkJob(tx, jobId, ctx.actor.id))
  })
}

/** Cancels a bulk job except for its row in `jobs`. Changes already made remain and can be undone. */
export async function cancelBulk(tx: Tx, jobId: Id, now: string): Promise<void> {
  // Waits for a batch that another process is running, so that its progress is counted first.
  await lockBulkJob(tx, jobId)
  const job = await findBulkJob(tx, jobId)
  if (!job) return
  await updateProgress(tx, { ...job, status: 'canceled', finished_at: now })
  await deletePieces(tx, job.id)
}
