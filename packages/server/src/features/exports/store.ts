/** All SQL of exports. */
import { notFound } from '@postil/domain/errors'
import type { Export, ExportFormat } from '@postil/domain/exports'
import type { JobStatus } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import type { ExportsTable } from '../../storage/file-tables.ts'

export interface ExportRow extends ExportsTable {
  /** Null after the job was deleted. */
  job_status: string | null
  job_error: string | null
  job_payload: string | null
  job_finished_at: string | null
  /** Null if the file is incomplete or was deleted. */
  file_name: string | null
  file_size: number | null
  media_type: string | null
  expires_at: string | null
}

const SELECT = `select e.id, e.dataset_id, e.user_id, e.format, e.file_id, e.status, e.records, e.inserted_at, e.finished_at,
    j.status as job_status, j.error as job_error, j.payload as job_payload, j.finished_at as job_finished_at,
    f.name as file_name, f.size as file_size, f.media_type, f.expires_at
  from exports e left join jobs j on j.id = e.id left join files f on f.id = e.file_id and f.size is not null`

export async function insertExport(db: Queryable, row: ExportsTable): Promise<void> {
  await db.kysely.insertInto('exports').values(row).execute()
}

export async function loadExport(db: Queryable, id: Id): Promise<ExportRow> {
  const row = await db.sql.get<ExportRow>(`${SELECT} where e.id = ?`, [id])
  if (!row) throw notFound('Export', id)
  return row
}

/** Lists exports, newest first (ids grow with time). */
export function listExportRows(
  db: Queryable,
  { datasetId, before, limit }: { datasetId: Id; before: string | undefined; limit: number },
): Promise<ExportRow[]> {
  const after = before === undefined ? '' : ' and e.id < ?'
  const params = before === undefined ? [datasetId, limit] : [datasetId, before, limit]
  return db.sql.all(`${SELECT} where e.dataset_id = ?${after} order by e.id desc limit ?`, params)
}

export async function countOpenExports(db: Queryable, userId: Id): Promise<number> {
  const text = `select count(*) as open from exports e join jobs j on j.id = e.id
    where e.user_id = ? and j.status in ('queued', 'started')`
  return Number((await db.sql.get<{ open: number }>(text, [userId]))?.open)
}

export async function setExportFile(db: Queryable, id: Id, fileId: Id): Promise<void> {
  await db.sql.run('update exports set file_id = ? where id = ?', [fileId, id])
}

export async function endExport(
  db: Queryable,
  id: Id,
  { status, records, now }: { status: 'finished' | 'canceled'; records: number | null; now: string },
): Promise<void> {
  await db.sql.run('update exports set status = ?, records = ?, finished_at = ? where id = ?', [status, records, now, id])
}

/** Deletes exports whose files were deleted. */
export async function deleteOldExports(db: Queryable, datasetId: Id, before: string): Promise<void> {
  const text = `delete from exports where dataset_id = ? and inserted_at < ?
    and not exists (select 1 from files f where f.id = exports.file_id)
    and not exists (select 1 from jobs j where j.id = exports.id and j.status in ('queued', 'started'))`
  await db.sql.run(text, [datasetId, before])
}

export function toExport(row: ExportRow, now: string): Export {
  const { id, dataset_id, format, records, inserted_at, file_name, file_size, media_type, expires_at } = row
  const { done = 0, total = null } = JSON.parse(row.job_payload ?? '{}') as { done?: number; total?: number | null }
  const hasFile = file_name !== null && file_size !== null && media_type !== null && expires_at !== null && expires_at > now
  return {
    id,
    dataset_id,
    // The casts are safe: use cases store only values of `ExportFormat`, and the queue only values of `JobStatus`.
    format: format as ExportFormat,
    status: (row.job_status ?? row.status) as JobStatus,
    progress: records === null ? { done, total } : { done: records, total: records },
    file: hasFile ? { name: file_name, size: file_size, media_type, expires_at } : null,
    error: row.job_error,
    inserted_at,
    finished_at: row.job_finished_at ?? row.finished_at,
  }
}
