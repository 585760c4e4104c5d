/**
 * Runs an export to a file in the hub thread: finds the matching records, reads everything from one snapshot and stores the file
 * in pieces as they are produced. The file is valid once the writer has recorded its size. An attempt that ends earlier leaves
 * nothing behind.
 */
import { DomainError } from '@postil/domain/errors'
import { FILES_BYTES_MAX, PIECE_BYTES } from '@postil/domain/files'
import { canListRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { openPieces } from '../../storage/pieces.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset, type StoredDataset } from '../datasets/store.ts'
import { HubRefusal } from '../hub/failures.ts'
import { withSeparateConnection } from '../hub/separate-connection.ts'
import { findActorById, listAuthorNames } from '../users/store.ts'
import { checkColumns } from './columns.ts'
import { findRecords } from './find-records.ts'
import { WRITERS } from './formats.ts'
import type { FileExportPayload } from './jobs.ts'

export interface FileExportRun {
  id: Id
  payload: FileExportPayload
  signal: AbortSignal
  /** Called with the number of records written and the total. */
  onProgress(done: number, total: number): void
}

/** Returns the size of the file. */
export async function runFileExport(ctx: Context, run: FileExportRun): Promise<number> {
  const { dataset_id, order, actor_id } = run.payload
  const dataset = await findDataset(ctx.db, dataset_id)
  if (!dataset) throw new HubRefusal('The dataset was deleted')
  await checkActor(ctx, actor_id, dataset)
  // The search runs before the snapshot is taken, so the snapshot contains every record found.
  const recordNos = order.search && (await asRefusal(findRecords(ctx, dataset_id, order.search)))
  return asRefusal(withSeparateConnection(ctx, db => db.snapshot(snapshot => writeFile(ctx, run, snapshot, recordNos))))
}

async function writeFile(
  ctx: Context,
  run: FileExportRun,
  snapshot: Queryable,
  recordNos: ArrayLike<number> | null,
): Promise<number> {
  const { dataset_id, order } = run.payload
  const stored = await findDataset(snapshot, dataset_id)
  if (!stored) throw new HubRefusal('The dataset was deleted')
  const settings = await loadDatasetSettings(snapshot, stored)
  // Columns may have been removed since the export was requested.
  checkColumns(order, settings)
  const total = recordNos?.length ?? stored.records_count
  run.onProgress(0, total)
  const chunks = WRITERS[order.format]({
    db: snapshot,
    dataset: stored,
    settings,
    order,
    recordNos,
    usernames: await listAuthorNames(snapshot),
    signal: run.signal,
    onProgress: done => run.onProgress(done, total),
  })
  return storePieces(ctx, run, chunks)
}

/** Fails the export if the user has lost permission to read the records. */
async function checkActor({ db }: Context, actorId: Id, dataset: StoredDataset): Promise<void> {
  const actor = await findActorById(db, actorId)
  if (actor && canListRecords(actor, dataset)) return
  throw new HubRefusal('The user who started the export may not read the records of this dataset any more')
}

/**
 * A request that no longer fits the dataset fails permanently. A search engine that cannot be reached may recover, so that error
 * is retried.
 */
function asRefusal<T>(found: Promise<T>): Promise<T> {
  return found.catch((error: unknown) => {
    if (error instanceof DomainError && error.code !== 'unavailable') throw new HubRefusal(error.explanation)
    throw error
  })
}

async function storePieces(ctx: Context, { payload, signal }: FileExportRun, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const pieces = openPieces(ctx)
  let size = 0
  for await (const piece of toPieces(chunks)) {
    signal.throwIfAborted()
    await pieces.put(payload.file_id, size / PIECE_BYTES, piece, { isRedone: true })
    size += piece.length
    if (size > FILES_BYTES_MAX) {
      throw new HubRefusal(`The file has more than ${FILES_BYTES_MAX} bytes. Export fewer records or columns`)
    }
  }
  return size
}

/** Splits the stream into pieces of equal size, except for the last one. */
export async function* toPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    length += chunk.length
    if (length < PIECE_BYTES) continue
    const bytes = Buffer.concat(waiting)
    const whole = length - (length % PIECE_BYTES)
    for (let start = 0; start < whole; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES)
    waiting = [bytes.subarray(whole)]
    length -= whole
  }
  if (length > 0) yield Buffer.concat(waiting)
}
