import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { deletePieces, findBulkJob, updateProgress } from './store.ts'

/** Marks a bulk job as failed after its job ran out of retries. Changes already made remain and can be undone. */
export async function failBulkJob(db: Queryable, { bulk_job_id }: { bulk_job_id: Id }, now: string): Promise<void> {
  const job = await findBulkJob(db, bulk_job_id)
  if (!job) return
  await updateProgress(db, { ...job, status: 'failed', finished_at: now })
  await deletePieces(db, job.id)
}
