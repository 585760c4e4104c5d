/** What the queue does not tell of jobs. */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'

/** The workspace that a job works for: that of its dataset. Null when there is none, or none any more. */
export async function findJobWorkspace(db: Queryable, jobId: string): Promise<Id | null> {
  const job = await db.sql.get<{ payload: string; dataset_id: Id | null }>(
    'select j.payload, b.dataset_id from jobs j left join bulk_jobs b on b.id = j.id where j.id = ?',
    [jobId],
  )
  // A bulk job says what it works on in a row of its own.
  const named = JSON.parse(job?.payload ?? '{}') as { dataset_id?: Id }
  const dataset_id = job?.dataset_id ?? named.dataset_id
  if (dataset_id === undefined) return null
  const dataset = await db.sql.get<{ workspace_id: Id }>('select workspace_id from datasets where id = ?', [dataset_id])
  return dataset?.workspace_id ?? null
}
