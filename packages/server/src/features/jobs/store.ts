/** SQL of jobs for those who ask about them; `jobs/queue.ts` has that of the worker. */
import type { JobsQuery } from '@postil/domain/api/jobs'
import { notFound } from '@postil/domain/errors'
import type { JobDetails, JobProgress, JobStatus } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import type { JobsTable } from '../../storage/tables.ts'

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

type JobRow = Omit<JobsTable, 'leased_until'> & {
  /** Of the row in `bulk_jobs`; null for other jobs. */
  bulk_dataset_id: Id | null
  bulk_done: number | null
  bulk_total: number | null
}

const SELECT = `select j.id, j.name, j.payload, j.status, j.attempts, j.error, j.run_at, j.inserted_at, j.updated_at, j.finished_at,
  b.dataset_id as bulk_dataset_id, b.done + b.failed as bulk_done, b.total as bulk_total
  from jobs j left join bulk_jobs b on b.id = j.id`

/** Newest first: ids grow with time. */
export function listJobRows(db: Queryable, { status, name, before, limit }: JobsQuery & { limit: number }): Promise<JobRow[]> {
  const conditions = [
    ...(status === undefined ? [] : [{ text: 'j.status = ?', value: status }]),
    ...(name === undefined ? [] : [{ text: 'j.name = ?', value: name }]),
    ...(before === undefined ? [] : [{ text: 'j.id < ?', value: before }]),
  ]
  const where = conditions.length === 0 ? '' : ` where ${conditions.map(({ text }) => text).join(' and ')}`
  return db.sql.all(`${SELECT}${where} order by j.id desc limit ?`, [...conditions.map(({ value }) => value), limit])
}

/** Locks the job: one transaction at a time ends it or queues it again. */
export async function loadJobToChange(db: Queryable, id: string): Promise<JobRow> {
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from jobs where id = ?${db.dialect.forUpdate}`, [id])
  const row = await db.sql.get<JobRow>(`${SELECT} where j.id = ?`, [id])
  if (!row) throw notFound('Job', id)
  return row
}

export function toJobDetails(row: JobRow): JobDetails {
  const { id, name, attempts, error, run_at, inserted_at, updated_at, finished_at } = row
  const payload = JSON.parse(row.payload) as Partial<JobProgress> & { dataset_id?: Id }
  return {
    id,
    name,
    // The queue writes words of JobStatus only.
    status: row.status as JobStatus,
    attempts,
    error,
    progress: progressOf(row, payload),
    dataset_id: row.bulk_dataset_id ?? payload.dataset_id ?? null,
    run_at,
    inserted_at,
    updated_at,
    finished_at,
  }
}

function progressOf(row: JobRow, { done, total = null }: Partial<JobProgress>): JobProgress | null {
  if (row.bulk_done !== null) return { done: row.bulk_done, total: row.bulk_total }
  if (done === undefined) return null
  // The last piece ends the job and leaves no payload.
  return { done: row.status === 'finished' && total !== null ? total : done, total }
}
