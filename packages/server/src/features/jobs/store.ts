/** What the queue does not tell of jobs. */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'

/** The workspace that a job works for: that of the dataset its payload names. Null when there is none, or none any more. */
export async function findJobWorkspace(db: Queryable, jobId: string): Promise<Id | null> {
  const job = await db.sql.get<{ payload: string }>('select payload from jobs where id = ?', [jobId])
  const { dataset_id } = JSON.parse(job?.payload ?? '{}') as { dataset_id?: Id }
  if (dataset_id === undefined) return null
  const dataset = await db.sql.get<{ workspace_id: Id }>('select workspace_id from datasets where id = ?', [dataset_id])
  return dataset?.workspace_id ?? null
}
