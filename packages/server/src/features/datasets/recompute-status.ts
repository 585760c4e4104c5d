/**
 * Recomputes the status of records after the dataset's distribution has changed.
 *
 * Records without a response are pending under every distribution, so only records with responses are visited, in the order of
 * their numbers. A batch that runs twice finds nothing left to change.
 */
import { recordStatus } from '@postil/domain/distribution'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import type { JobStep } from '../../jobs/all.ts'
import { addToCounts } from '../../storage/heads.ts'
import { type Tx, write } from '../../storage/write.ts'
import { countSubmitted } from '../responses/store.ts'
import { type AnsweredRecord, listAnsweredRecordsAfter, updateStatuses } from './status-store.ts'
import { findLockedDataset } from './store.ts'

const BATCH_MAX = 1000

interface Progress {
  dataset_id: Id
  /** User who changed the distribution; absent in jobs of earlier releases. */
  actor_id?: Id
  /** Records up to this number are done. */
  after: number
  /** Number of records done; absent in jobs of earlier releases. */
  done?: number
}

export const recomputeStatus: JobStep<Progress> = (ctx, progress) => write(ctx, tx => recomputePiece(ctx, tx, progress))

/** Processes the next batch inside a transaction. Returns where to continue, or null when all are done. */
export async function recomputePiece(ctx: Context, tx: Tx, progress: Progress): Promise<Progress | null> {
  const { dataset_id, after, done = 0 } = progress
  const dataset = await findLockedDataset(tx, dataset_id)
  if (!dataset) return null
  const records = await listAnsweredRecordsAfter(tx, dataset_id, { after, limit: BATCH_MAX })
  const submitted = await countSubmitted(
    tx,
    records.map(record => record.no),
  )
  const changed = records
    .map(record => ({ ...record, to: recordStatus(submitted.get(record.no) ?? 0, dataset.distribution) }))
    .filter(record => record.to !== record.status)
  await writeStatuses(ctx, tx, dataset_id, changed)

  const last = records.at(-1)
  return last && records.length === BATCH_MAX ? { ...progress, after: last.no, done: done + records.length } : null
}

async function writeStatuses(ctx: Context, tx: Tx, datasetId: Id, changed: (AnsweredRecord & { to: string })[]): Promise<void> {
  if (changed.length === 0) return
  const completed = changed.filter(record => record.to === 'completed')
  const reopened = changed.length - completed.length
  const updated_at = ctx.now()
  await updateStatuses(
    tx,
    changed.map(({ no, to }) => ({ no, status: to, updated_at })),
  )
  addToCounts(tx, datasetId, { records: 0, completed: completed.length - reopened })
  emitRecords(tx, 'record.updated', datasetId, changed)
  emitRecords(tx, 'record.completed', datasetId, completed)
}
