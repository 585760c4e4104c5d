/** All SQL of files. */
import { notFound } from '@postil/domain/errors'
import type { FileKind, Upload } from '@postil/domain/files'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import type { FilesTable } from '../../storage/file-tables.ts'

export type FileRow = FilesTable

const COLUMNS = 'id, kind, name, user_id, dataset_id, job_id, media_type, size, received, expires_at, inserted_at, updated_at'

export async function insertFile(db: Queryable, row: FileRow & { kind: FileKind }): Promise<void> {
  await db.kysely.insertInto('files').values(row).execute()
}

export const findFile = (db: Queryable, id: Id): Promise<FileRow | undefined> =>
  db.sql.get<FileRow>(`select ${COLUMNS} from files where id = ?`, [id])

/** Same as `findFile`, but locks the row until the transaction ends. */
export const findLockedFile = (db: Queryable, id: Id): Promise<FileRow | undefined> =>
  db.sql.get<FileRow>(`select ${COLUMNS} from files where id = ?${db.dialect.forUpdate}`, [id])

/** Files of other users or of another kind count as not found. */
export function checkUpload(row: FileRow | undefined, id: Id, userId: Id): FileRow & { size: number } {
  if (row?.kind !== 'upload' || row.user_id !== userId || row.size === null) throw notFound('Upload', id)
  return { ...row, size: row.size }
}

interface FileProgress {
  received: number
  /** Size of the complete file; uploads have it from the start. */
  size?: number
  expires_at: string
  now: string
}

export async function setReceived(db: Queryable, id: Id, { received, size, expires_at, now }: FileProgress): Promise<void> {
  const sized = size === undefined ? '' : ', size = ?'
  await db.sql.run(`update files set received = ?, expires_at = ?, updated_at = ?${sized} where id = ?`, [
    received,
    expires_at,
    now,
    ...(size === undefined ? [] : [size]),
    id,
  ])
}

/** Extends the expiry of a file while it is in use. */
export async function keepFile(db: Queryable, id: Id, expires_at: string): Promise<void> {
  await db.sql.run('update files set expires_at = ? where id = ? and expires_at < ?', [expires_at, id, expires_at])
}

export async function deleteFile(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('delete from files where id = ?', [id])
}

export const listExpiredFiles = (db: Queryable, now: string, limit: number): Promise<Id[]> =>
  db.sql.column<Id>('select id from files where expires_at < ? order by expires_at limit ?', [now, limit])

export interface FileTotals {
  uploads: number
  /** Bytes of all files; uploads count with their final size. */
  bytes: number
}

export async function countFilesOf(db: Queryable, userId: Id): Promise<FileTotals> {
  const row = await db.sql.get<FileTotals>(
    `select cast(coalesce(sum(case when kind = 'upload' then 1 else 0 end), 0) as bigint) as uploads,
       cast(coalesce(sum(coalesce(size, received)), 0) as bigint) as bytes
     from files where user_id = ?`,
    [userId],
  )
  return row ?? { uploads: 0, bytes: 0 }
}

export function toUpload({ id, name, size, received, expires_at, inserted_at }: FileRow & { size: number }): Upload {
  return { id, name, size, received, complete: received === size, expires_at, inserted_at }
}
