/**
 * Stores a batch of an import and its progress in one transaction, so that a batch is stored only once even if it is passed on
 * repeatedly.
 */
import { SKIPPED_LISTED_MAX } from '@postil/domain/hub'
import { canWriteRecords } from '@postil/domain/permissions'
import type { Context } from '../../context.ts'
import { noteProgress } from '../../jobs/queue.ts'
import { type Tx, write } from '../../storage/write.ts'
import { findLockedDataset } from '../datasets/store.ts'
import { readPrepared } from '../records/prepared-bytes.ts'
import { upsertRecords } from '../records/upsert-bulk.ts'
import { findActorById } from '../users/store.ts'
import { HubRefusal } from './failures.ts'
import type { ImportBatch } from './imports.ts'
import type { HubJob, ImportPayload } from './jobs.ts'

/** The job was canceled or taken over by another process. Nothing of the batch is stored. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

type ImportJob = Extract<HubJob, { name: 'hub-import' }>

/** Returns the job with its next payload. */
export function storeBatch(ctx: Context, job: ImportJob, batch: ImportBatch, leasedUntil: string): Promise<ImportJob> {
  return write(ctx, async tx => {
    await storeRecords(ctx, tx, job.payload, batch)
    const payload = toNext(job.payload, batch)
    // Updated after the dataset and its records are locked; a cancellation locks only the job, so there is no deadlock.
    if (!(await noteProgress(tx, job, { payload, now: ctx.now(), leasedUntil }))) throw new LeaseLost()
    return { ...job, payload, attempts: 0, leased_until: leasedUntil }
  })
}

async function storeRecords(
  ctx: Context,
  tx: Tx,
  { dataset_id, actor_id }: ImportPayload,
  { prepared }: ImportBatch,
): Promise<void> {
  const dataset = await findLockedDataset(tx, dataset_id)
  if (!dataset) throw new HubRefusal('The dataset was deleted')
  const actor = await findActorById(tx, actor_id)
  if (!actor || !canWriteRecords(actor, dataset)) {
    throw new HubRefusal('The user who started the import may not write records of this dataset any more')
  }
  tx.actorId = actor.id
  if (prepared !== null) await upsertRecords(ctx, tx, dataset, readPrepared(prepared))
}

function toNext(payload: ImportPayload, { source, total, rows, skipped }: ImportBatch): ImportPayload {
  return {
    ...payload,
    source,
    total,
    done: payload.done + rows,
    skipped: {
      count: payload.skipped.count + skipped.length,
      rows: [...payload.skipped.rows, ...skipped].slice(0, SKIPPED_LISTED_MAX),
    },
  }
}
