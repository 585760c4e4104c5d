/** All SQL of bulk jobs. The row in `jobs` schedules a job; the row in `bulk_jobs` is what users see, and it is stored longer. */
import { BULK_JOBS_LISTED_MAX, type BulkJob, type BulkJobSummary, type BulkJobType } from '@postil/domain/bulk-jobs'
import { notFound } from '@postil/domain/errors'
import type { JobStatus } from '@postil/domain/jobs'
import type { ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import type { BulkJobsTable } from '../../storage/tables.ts'

export interface BulkJobRow extends BulkJobsTable {
  /** Status of the row in `jobs`; null if that row was deleted. */
  job_status: string | null
  job_finished_at: string | null
}

/** Number of finished jobs kept; older ones are deleted. */
const KEPT_MAX = 100

const SUMMARY = [
  'id',
  'dataset_id',
  'user_id',
  'type',
  'response_status',
  'status',
  'total',
  'done',
  'failed',
  'undoes',
  'undone_by',
  'undone',
  'inserted_at',
  'finished_at',
] as const
const WHOLE = [...SUMMARY, 'request', 'failures', 'write_id'] as const

const select = (columns: readonly string[]) =>
  `select ${columns.map(column => `b.${column}`).join(', ')}, j.status as job_status, j.finished_at as job_finished_at
   from bulk_jobs b left join jobs j on j.id = b.id`

export async function findBulkJob(db: Queryable, id: Id): Promise<BulkJobRow | null> {
  return (await db.sql.get<BulkJobRow>(`${select(WHOLE)} where b.id = ?`, [id])) ?? null
}

/**
 * Locks a job, so that only one transaction at a time runs a batch of it or creates its undo job. Lock the dataset first, as its
 * deletion does, to avoid deadlocks.
 */
export async function lockBulkJob(db: Queryable, id: Id): Promise<void> {
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from bulk_jobs where id = ?${db.dialect.forUpdate}`, [id])
}

/** Loads a job of this user. Jobs of other users count as not found. */
export async function loadBulkJob(db: Queryable, id: Id, userId: Id): Promise<BulkJobRow> {
  const row = await findBulkJob(db, id)
  if (row?.user_id !== userId) throw notFound('Bulk job', id)
  return row
}

export async function findBulkJobOfWrite(db: Queryable, userId: Id, writeId: Id): Promise<BulkJobRow | null> {
  return (await db.sql.get<BulkJobRow>(`${select(WHOLE)} where b.user_id = ? and b.write_id = ?`, [userId, writeId])) ?? null
}

type SummaryRow = Omit<BulkJobRow, 'request' | 'failures' | 'write_id'>

/** Lists a user's latest jobs in a dataset, newest first (ids grow with time). */
export function listBulkJobsOf(db: Queryable, datasetId: Id, userId: Id): Promise<SummaryRow[]> {
  const text = `${select(SUMMARY)} where b.dataset_id = ? and b.user_id = ? order by b.id desc limit ?`
  return db.sql.all(text, [datasetId, userId, BULK_JOBS_LISTED_MAX])
}

/** Counts a user's queued and running jobs. */
export async function countOpenJobs(db: Queryable, userId: Id): Promise<number> {
  const text = `select count(*) as size from bulk_jobs b join jobs j on j.id = b.id
    where b.user_id = ? and b.status in ('queued', 'started') and j.status in ('queued', 'started')`
  return Number((await db.sql.get<{ size: number }>(text, [userId]))?.size)
}

export async function insertBulkJob(db: Queryable, row: BulkJobsTable, pieces: readonly (readonly Id[])[]): Promise<void> {
  await db.kysely.insertInto('bulk_jobs').values(row).execute()
  const rows = pieces.map((ids, position) => [row.id, position, JSON.stringify(ids)])
  await db.sql.insertAll('bulk_job_pieces', ['job_id', 'position', 'record_ids'], rows)
  const old = `select id from bulk_jobs where dataset_id = ? and user_id = ? and status not in ('queued', 'started')
    order by id desc limit 1000 offset ?`
  await db.sql.run(`delete from bulk_jobs where id in (${old})`, [row.dataset_id, row.user_id, KEPT_MAX])
}

/** Returns the next batch of records, or null when all are done. */
export async function findPiece(db: Queryable, jobId: Id): Promise<{ position: number; recordIds: Id[] } | null> {
  const text = 'select position, record_ids from bulk_job_pieces where job_id = ? order by position limit 1'
  const row = await db.sql.get<{ position: number; record_ids: string }>(text, [jobId])
  return row ? { position: row.position, recordIds: JSON.parse(row.record_ids) } : null
}

export async function deletePiece(db: Queryable, jobId: Id, position: number): Promise<void> {
  await db.sql.run('delete from bulk_job_pieces where job_id = ? and position = ?', [jobId, position])
}

export async function deletePieces(db: Queryable, jobId: Id): Promise<void> {
  await db.sql.run('delete from bulk_job_pieces where job_id = ?', [jobId])
}

/** Stores the progress of a job. A job that was canceled since remains canceled. */
export async function updateProgress(
  db: Queryable,
  row: Pick<BulkJobsTable, 'id' | 'status' | 'done' | 'failed' | 'failures' | 'finished_at'>,
): Promise<void> {
  const { id, status, done, failed, failures, finished_at } = row
  const text = `update bulk_jobs set status = ?, done = ?, failed = ?, failures = ?, finished_at = ?
    where id = ? and status in ('queued', 'started')`
  await db.sql.run(text, [status, done, failed, failures, finished_at, id])
}

export async function setUndoneBy(db: Queryable, id: Id, undoneBy: Id): Promise<void> {
  await db.sql.run('update bulk_jobs set undone_by = ? where id = ?', [undoneBy, id])
}

export async function setUndone(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('update bulk_jobs set undone = 1 where id = ?', [id])
}

/** Keeps statements below the database's limit of parameters. */
const NUMBERS_PER_QUERY = 1000

/** Returns the numbers of the existing records, in no particular order. */
export async function listRecordNos(db: Queryable, ids: readonly Id[]): Promise<number[]> {
  if (ids.length === 0) return []
  return db.sql.column(`select no from records where id in (${marks(ids)})`, [...ids])
}

/** Returns the ids of the existing records, in the order of the given numbers. */
export async function listRecordIds(db: Queryable, nos: readonly number[]): Promise<Id[]> {
  const ids: Id[] = []
  for (let start = 0; start < nos.length; start += NUMBERS_PER_QUERY) {
    const some = nos.slice(start, start + NUMBERS_PER_QUERY)
    const rows = await db.sql.all<{ no: number; id: Id }>(`select no, id from records where no in (${marks(some)})`, some)
    const byNo = new Map(rows.map(row => [row.no, row.id]))
    ids.push(...some.flatMap(no => byNo.get(no) ?? []))
  }
  return ids
}

/** A job counts as failed if it ran out of retries, or if its row in `jobs` was deleted before it ended. */
export function statusOf({ status, job_status }: Pick<BulkJobRow, 'status' | 'job_status'>): JobStatus {
  const isOpen = status === 'queued' || status === 'started'
  return isOpen && job_status !== 'queued' && job_status !== 'started' ? 'failed' : (status as JobStatus)
}

export function toSummary(row: SummaryRow): BulkJobSummary {
  const { job_status, job_finished_at, user_id: _user, ...summary } = row
  const status = statusOf({ status: row.status, job_status })
  return {
    ...summary,
    type: row.type as BulkJobType,
    response_status: row.response_status as ResponseStatus | null,
    status,
    undone: row.undone === 1,
    finished_at: row.finished_at ?? (status === 'failed' ? job_finished_at : null),
  }
}

export function toBulkJob({ request: _request, write_id: _write, failures, ...row }: BulkJobRow): BulkJob {
  return { ...toSummary(row), failures: JSON.parse(failures) }
}
