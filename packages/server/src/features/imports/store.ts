/** Imports as shown to users: jobs that are stored for a while after they have ended. */
import type { Import } from '@postil/domain/imports'
import type { JobStatus } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { FILE_IMPORT, type FileImportPayload } from './jobs.ts'

export interface ImportRow {
  id: Id
  status: JobStatus
  payload: FileImportPayload
  error: string | null
  inserted_at: string
  finished_at: string | null
}

type StoredRow = Omit<ImportRow, 'payload'> & { payload: string }

const SELECT = 'select id, status, payload, error, inserted_at, finished_at from jobs where name = ?'

const toRow = (row: StoredRow): ImportRow => ({ ...row, payload: JSON.parse(row.payload) as FileImportPayload })

export async function findImport(db: Queryable, id: Id): Promise<ImportRow | null> {
  const row = await db.sql.get<StoredRow>(`${SELECT} and id = ?`, [FILE_IMPORT, id])
  return row ? toRow(row) : null
}

/**
 * Lists imports, newest first (ids grow with time). JSON escapes quotes inside strings, so the pattern only matches the payload's
 * own key.
 */
export async function listImportRows(
  db: Queryable,
  { datasetId, before, limit }: { datasetId: Id; before: Id | null; limit: number },
): Promise<ImportRow[]> {
  const older = before === null ? '' : ' and id < ?'
  const rows = await db.sql.all<StoredRow>(`${SELECT} and payload like ?${older} order by id desc limit ?`, [
    FILE_IMPORT,
    `%"dataset_id":"${datasetId}"%`,
    ...(before === null ? [] : [before]),
    limit,
  ])
  return rows.map(toRow)
}

export function toImport({ id, status, payload, error, inserted_at, finished_at }: ImportRow): Import {
  const { dataset_id, upload_id, name, dry_run, rows, errors, rejects, done, total } = payload
  const bytes = { done: status === 'finished' ? total : done, total }
  const of = { dataset_id, upload_id, name, status, dry_run, rows, bytes, errors }
  return { id, ...of, rejects_file: rejects !== null, error, inserted_at, finished_at }
}
