/**
 * Stores a batch of an import and its progress in one transaction, so that a batch is stored only once even if it is passed on
 * repeatedly.
 */
import { IMPORT_ERRORS_MAX } from '@postil/domain/imports'
import { canWriteRecords } from '@postil/domain/permissions'
import type { Context } from '../../context.ts'
import { noteProgress } from '../../jobs/queue.ts'
import { PrepareAgain } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { findLockedDataset } from '../datasets/store.ts'
import { findFile, insertFile, setReceived } from '../files/store.ts'
import { toExpiry } from '../files/uploads.ts'
import { HubRefusal } from '../hub/failures.ts'
import type { HubJob } from '../hub/jobs.ts'
import { LeaseLost } from '../hub/store-batch.ts'
import { readPrepared } from '../records/prepared-bytes.ts'
import { listExternalIdsIn } from '../records/store.ts'
import { upsertRecords } from '../records/upsert-bulk.ts'
import { findActorById } from '../users/store.ts'
import type { FileBatch, FileImportPayload } from './jobs.ts'

export type FileImportJob = Extract<HubJob, { name: 'file-import' }>

/** Returns the job with its next payload. */
export function storeFileBatch(ctx: Context, job: FileImportJob, batch: FileBatch, leasedUntil: string): Promise<FileImportJob> {
  return write(ctx, async tx => {
    const stored = await storeRecords(ctx, tx, job.payload, batch)
    await storeRejects(ctx, tx, job, batch)
    const payload = toNext(job.payload, batch, stored)
    // Updated after the dataset and its records are locked; a cancellation locks only the job, so there is no deadlock.
    if (!(await noteProgress(tx, job, { payload, now: ctx.now(), leasedUntil }))) throw new LeaseLost()
    return { ...job, payload, attempts: 0, leased_until: leasedUntil }
  })
}

interface StoredCounts {
  created: number
  updated: number
}

async function storeRecords(ctx: Context, tx: Tx, payload: FileImportPayload, batch: FileBatch): Promise<StoredCounts> {
  const { dataset_id, actor_id, on_conflict } = payload
  const dataset = await findLockedDataset(tx, dataset_id)
  if (!dataset) throw new HubRefusal('The dataset was deleted')
  const actor = await findActorById(tx, actor_id)
  if (!actor || !canWriteRecords(actor, dataset)) {
    throw new HubRefusal('The user who started the import may not write records of this dataset any more')
  }
  tx.actorId = actor.id
  if (batch.prepared === null) return { created: batch.wouldCreate, updated: batch.wouldUpdate }
  // One of the records was written since the batch was prepared. The batch is prepared again without it.
  if (on_conflict === 'skip' && (await listExternalIdsIn(tx, dataset_id, batch.externalIds)).length > 0) throw new PrepareAgain()
  const { created, updatedIds } = await upsertRecords(ctx, tx, dataset, readPrepared(batch.prepared))
  return { created: created.size, updated: updatedIds.length }
}

async function storeRejects(ctx: Context, tx: Tx, { id: jobId, payload }: FileImportJob, { rejects }: FileBatch): Promise<void> {
  if (rejects === null || rejects.bytes === payload.rejects?.bytes) return
  const now = ctx.now()
  const { file_id: id, bytes } = rejects
  const written = { received: bytes, size: bytes, expires_at: toExpiry(ctx, now) }
  if (payload.rejects !== null && (await findFile(tx, id))) return setReceived(tx, id, { ...written, now })
  await insertFile(tx, {
    id,
    kind: 'rejects',
    name: `${payload.name.replace(/\.\w+$/, '')}-rejected.csv`,
    user_id: payload.actor_id,
    dataset_id: payload.dataset_id,
    job_id: jobId,
    media_type: 'text/csv; charset=utf-8',
    ...written,
    inserted_at: now,
    updated_at: now,
  })
}

function toNext(payload: FileImportPayload, batch: FileBatch, { created, updated }: StoredCounts): FileImportPayload {
  const { rows, errors } = payload
  return {
    ...payload,
    source: batch.source,
    columns: batch.columns,
    cursor: batch.cursor,
    done: batch.done,
    rows: {
      read: rows.read + batch.read,
      created: rows.created + created,
      updated: rows.updated + updated,
      skipped: rows.skipped + batch.skipped,
      rejected: rows.rejected + batch.rejected,
    },
    errors: [...errors, ...batch.errors].slice(0, IMPORT_ERRORS_MAX),
    rejects: batch.rejects,
  }
}
