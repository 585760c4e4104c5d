/** SQL for reading and managing jobs. The SQL of the worker is in `jobs/queue.ts`. */
import type { JobsQuery } from '@postil/domain/api/jobs'
import { notFound } from '@postil/domain/errors'
import type { SkippedRows } from '@postil/domain/hub'
import type { JobDetails, JobProgress, JobStatus } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import type { JobsTable } from '../../storage/tables.ts'

/** Returns the workspace of the job's dataset, or null if the job has no dataset or it was deleted. */
export async function findJobWorkspace(db: Queryable, jobId: string): Promise<Id | null> {
  const job = await db.sql.get<{ payload: string; dataset_id: Id | null }>(
    'select j.payload, b.dataset_id from jobs j left join bulk_jobs b on b.id = j.id where j.id = ?',
    [jobId],
  )
  // The dataset of a bulk job is stored in `bulk_jobs`.
  const named = JSON.parse(job?.payload ?? '{}') as { dataset_id?: Id }
  const dataset_id = job?.dataset_id ?? named.dataset_id
  if (dataset_id === undefined) return null
  const dataset = await db.sql.get<{ workspace_id: Id }>('select workspace_id from datasets where id = ?', [dataset_id])
  return dataset?.workspace_id ?? null
}

type JobRow = Omit<JobsTable, 'leased_until'> & {
  /** Columns of the row in `bulk_jobs`; null for other jobs. */
  bulk_dataset_id: Id | null
  bulk_done: number | null
  bulk_total: number | null
}

const SELECT = `select j.id, j.name, j.payload, j.status, j.attempts, j.error, j.run_at, j.inserted_at, j.updated_at, j.finished_at,
  b.dataset_id as bulk_dataset_id, b.done + b.failed as bulk_done, b.total as bulk_total
  from jobs j left join bulk_jobs b on b.id = j.id`

/** Lists jobs, newest first (ids grow with time). */
export function listJobRows(db: Queryable, { status, name, before, limit }: JobsQuery & { limit: number }): Promise<JobRow[]> {
  const conditions = [
    ...(status === undefined ? [] : [{ text: 'j.status = ?', value: status }]),
    ...(name === undefined ? [] : [{ text: 'j.name = ?', value: name }]),
    ...(before === undefined ? [] : [{ text: 'j.id < ?', value: before }]),
  ]
  const where = conditions.length === 0 ? '' : ` where ${conditions.map(({ text }) => text).join(' and ')}`
  return db.sql.all(`${SELECT}${where} order by j.id desc limit ?`, [...conditions.map(({ value }) => value), limit])
}

export const findJobRow = (db: Queryable, id: string): Promise<JobRow | undefined> =>
  db.sql.get<JobRow>(`${SELECT} where j.id = ?`, [id])

/** Locks the job, so that only one transaction at a time can end or requeue it. */
export async function loadJobToChange(db: Queryable, id: string): Promise<JobRow> {
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from jobs where id = ?${db.dialect.forUpdate}`, [id])
  const row = await findJobRow(db, id)
  if (!row) throw notFound('Job', id)
  return row
}

export function toJobDetails(row: JobRow): JobDetails {
  const { id, name, attempts, error, run_at, inserted_at, updated_at, finished_at } = row
  const payload = JSON.parse(row.payload) as Partial<JobProgress> & { dataset_id?: Id; skipped?: SkippedRows }
  return {
    id,
    name,
    // The cast is safe: the queue stores only values of `JobStatus`.
    status: row.status as JobStatus,
    attempts,
    error,
    progress: progressOf(row, payload),
    skipped: payload.skipped ?? null,
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
  // The last batch ends the job without updating the payload.
  return { done: row.status === 'finished' && total !== null ? total : done, total }
}
