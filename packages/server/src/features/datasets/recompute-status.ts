/**
 * Gives records the status that the dataset's distribution says, after it was changed.
 *
 * Records without a response are pending under every distribution, so only those with one are walked, in the order of their
 * numbers. A piece that runs twice finds nothing left to change.
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
import { findDataset, lockDataset } from './store.ts'

const BATCH_MAX = 1000

interface Progress {
  dataset_id: Id
  /** Records up to this number are done. */
  after: number
  /** How many are done; jobs of earlier releases do not count them. */
  done?: number
}

export const recomputeStatus: JobStep<Progress> = (ctx, progress) => write(ctx, tx => recomputePiece(ctx, tx, progress))

/** Does the next records inside a transaction; answers where to go on, or null when all are done. */
export async function recomputePiece(ctx: Context, tx: Tx, { dataset_id, after, done = 0 }: Progress): Promise<Progress | null> {
  await lockDataset(tx, dataset_id)
  const dataset = await findDataset(tx, dataset_id)
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
  return last && records.length === BATCH_MAX ? { dataset_id, after: last.no, done: done + records.length } : null
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
