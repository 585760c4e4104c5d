/** The file of an export, managed by the writer. */
import type { ExportFormat } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import { deleteFile, findFile, insertFile, setReceived } from '../files/store.ts'
import { FORMATS } from './format-names.ts'
import type { FileExportPayload } from './jobs.ts'
import { endExport, setExportFile } from './store.ts'

const DAY_SECONDS = 86_400

const toExpiry = ({ config }: Pick<Context, 'config'>, now: string) => later(now, config.filesDays * DAY_SECONDS)

interface ExportFile {
  jobId: Id
  userId: Id
  dataset: { id: Id; name: string }
  format: ExportFormat
}

/** Returns the id of the new file. */
export async function insertExportFile(
  ctx: Pick<Context, 'config' | 'newId'>,
  db: Queryable,
  { jobId, userId, dataset, format }: ExportFile,
  now: string,
): Promise<Id> {
  const id = ctx.newId()
  const { ending, mediaType } = FORMATS[format]
  await insertFile(db, {
    id,
    kind: 'export',
    name: toFileName(dataset.name, ending),
    user_id: userId,
    dataset_id: dataset.id,
    job_id: jobId,
    media_type: mediaType,
    size: null,
    received: 0,
    expires_at: toExpiry(ctx, now),
    inserted_at: now,
    updated_at: now,
  })
  return id
}

/** Removes characters with a meaning in paths. */
export function toFileName(name: string, ending: string): string {
  const plain = name.replace(/[\0-\x1f\x7f/\\:*?"<>|]/g, '_').replace(/^\.+/, '_')
  return `${plain.slice(0, 150).toWellFormed()}${ending}`
}

/** Starts another attempt with a new file and deletes the previous one. Late writes to the previous file have no effect. */
export async function replaceExportFile(
  ctx: Pick<Context, 'config' | 'newId'>,
  db: Queryable,
  jobId: Id,
  payload: FileExportPayload,
  now: string,
): Promise<FileExportPayload> {
  const before = await findFile(db, payload.file_id)
  const id = ctx.newId()
  const renewed = { received: 0, size: null, expires_at: toExpiry(ctx, now), inserted_at: now, updated_at: now }
  // Without a row there is nothing to replace: the dataset or the export was deleted, and the attempt will fail for that reason.
  if (before) await insertFile(db, { ...before, kind: 'export', id, ...renewed })
  await deleteFile(db, payload.file_id)
  await setExportFile(db, jobId, id)
  return { ...payload, file_id: id, done: 0 }
}

export async function completeExportFile(
  ctx: Pick<Context, 'config'>,
  db: Queryable,
  jobId: Id,
  { payload, size, now }: { payload: FileExportPayload; size: number; now: string },
): Promise<void> {
  await setReceived(db, payload.file_id, { received: size, size, expires_at: toExpiry(ctx, now), now })
  await endExport(db, jobId, { status: 'finished', records: payload.done, now })
}

/** Deletes the partial file of an export that was canceled or failed. */
export async function dropExportFile(db: Queryable, jobId: Id): Promise<void> {
  const row = await db.sql.get<{ file_id: Id }>('select file_id from exports where id = ?', [jobId])
  if (row) await deleteFile(db, row.file_id)
}

export async function cancelExportFile(db: Queryable, jobId: Id, now: string): Promise<void> {
  await dropExportFile(db, jobId)
  await endExport(db, jobId, { status: 'canceled', records: null, now })
}
