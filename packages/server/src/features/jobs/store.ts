/** SQL for reading and managing jobs. The SQL of the worker is in `jobs/queue.ts`. */
import type { JobsQuery } from '@postil/domain/api/jobs'
import { notFound } from '@postil/domain/errors'
import type { SkippedRows } from '@postil/domain/hub'
import type { JobDetails, JobProgress, JobStatus } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
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

type StoredJob = Omit<JobsTable, 'leased_until'> & {
  /** Columns of the row in `bulk_jobs`; null for other jobs. */
  bulk_dataset_id: Id | null
  bulk_done: number | null
  bulk_total: number | null
  bulk_user_id: Id | null
}
type JobRow = StoredJob & {
  dataset_id: Id | null
  dataset_name: string | null
  actor_id: Id | null
  actor_name: string | null
}

const SELECT = `select j.id, j.name, j.payload, j.status, j.attempts, j.error, j.run_at, j.inserted_at, j.updated_at, j.finished_at,
  b.dataset_id as bulk_dataset_id, b.done + b.failed as bulk_done, b.total as bulk_total, b.user_id as bulk_user_id
  from jobs j left join bulk_jobs b on b.id = j.id`

/** Lists jobs, newest first (ids grow with time). */
export async function listJobRows(
  db: Queryable,
  { status, name, before, limit }: JobsQuery & { limit: number },
): Promise<JobRow[]> {
  const conditions = [
    ...(status === undefined ? [] : [{ text: 'j.status = ?', value: status }]),
    ...(name === undefined ? [] : [{ text: 'j.name = ?', value: name }]),
    ...(before === undefined ? [] : [{ text: 'j.id < ?', value: before }]),
  ]
  const where = conditions.length === 0 ? '' : ` where ${conditions.map(({ text }) => text).join(' and ')}`
  const params = [...conditions.map(({ value }) => value), limit]
  return withNames(db, await db.sql.all<StoredJob>(`${SELECT}${where} order by j.id desc limit ?`, params))
}

export async function findJobRow(db: Queryable, id: string): Promise<JobRow | undefined> {
  const [row] = await withNames(db, await db.sql.all<StoredJob>(`${SELECT} where j.id = ?`, [id]))
  return row
}

/** Adds the names of the datasets and users, whose ids are in the payloads. */
async function withNames(db: Queryable, rows: readonly StoredJob[]): Promise<JobRow[]> {
  const jobs = rows.map(row => {
    const { dataset_id = null, actor_id = null } = JSON.parse(row.payload) as { dataset_id?: Id; actor_id?: Id }
    return { ...row, dataset_id: row.bulk_dataset_id ?? dataset_id, actor_id: row.bulk_user_id ?? actor_id }
  })
  const datasets = await listNames(
    db,
    'select id, name from datasets',
    jobs.map(job => job.dataset_id),
  )
  const users = await listNames(
    db,
    'select id, username as name from users',
    jobs.map(job => job.actor_id),
  )
  return jobs.map(job => ({
    ...job,
    dataset_name: datasets.get(job.dataset_id) ?? null,
    actor_name: users.get(job.actor_id) ?? null,
  }))
}

async function listNames(db: Queryable, select: string, given: readonly (Id | null)[]): Promise<Map<Id | null, string>> {
  const ids = [...new Set(given.filter(id => id !== null))]
  if (ids.length === 0) return new Map()
  const rows = await db.sql.all<{ id: Id; name: string }>(`${select} where id in (${marks(ids)})`, ids)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Locks the job, so that only one transaction at a time can end or requeue it. */
export async function loadJobToChange(db: Queryable, id: string): Promise<JobRow> {
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from jobs where id = ?${db.dialect.forUpdate}`, [id])
  const row = await findJobRow(db, id)
  if (!row) throw notFound('Job', id)
  return row
}

export function toJobDetails(row: JobRow): JobDetails {
  const { id, name, attempts, error, dataset_id, dataset_name, actor_id, actor_name } = row
  const { run_at, inserted_at, updated_at, finished_at } = row
  const payload = JSON.parse(row.payload) as Partial<JobProgress> & { skipped?: SkippedRows }
  return {
    id,
    name,
    // The cast is safe: the queue stores only values of `JobStatus`.
    status: row.status as JobStatus,
    attempts,
    error,
    progress: progressOf(row, payload),
    skipped: payload.skipped ?? null,
    dataset_id,
    dataset_name,
    actor: actor_id === null || actor_name === null ? null : { id: actor_id, username: actor_name },
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
  return { done: row.status === 'finished' && total !== null ? total : done, total, ...unitOf(row.name) }
}

/** Imports of files count bytes, because the number of rows is not known before the file was read. */
export const unitOf = (name: string): Pick<JobProgress, 'unit'> => (name === 'file-import' ? { unit: 'bytes' } : {})
