import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { notice } from '../../events/emit.ts'
import { cancelJob } from '../../jobs/queue.ts'
import { type Tx, write } from '../../storage/write.ts'
import { deletePieces, findBulkJob, loadBulkJob, lockBulkJob, statusOf, toBulkJob, updateProgress } from './store.ts'

/** Stops a job after the piece that runs; one that has ended stays as it is. */
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

/** Cancels all of a bulk job but its row in `jobs`. What it has done stays, and can be undone. */
export async function cancelBulk(tx: Tx, jobId: Id, now: string): Promise<void> {
  // A piece that runs in another process counts what it did first.
  await lockBulkJob(tx, jobId)
  const job = await findBulkJob(tx, jobId)
  if (!job) return
  await updateProgress(tx, { ...job, status: 'canceled', finished_at: now })
  await deletePieces(tx, job.id)
}
