/**
 * Deletes the data of a deleted user in batches of records, and then the user's row.
 *
 * Each batch is a separate transaction: it deletes responses, their history, flags and comments of these records, returns records
 * with too few responses to pending, and logs the change. The row is deleted last, because everything else refers to it.
 */
import { recordStatus } from '@postil/domain/distribution'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import type { JobStep } from '../../jobs/all.ts'
import { addToCounts } from '../../storage/heads.ts'
import { type Tx, write } from '../../storage/write.ts'
import { updateStatuses } from '../datasets/status-store.ts'
import { findDataset } from '../datasets/store.ts'
import { countSubmitted } from '../responses/store.ts'
import { deleteTraces, listSomeTouched, lockDatasetsOf, lockTouched, type TouchedRecord } from './purge-store.ts'
import { deleteUserRow, lockUserToDelete } from './store.ts'

/** Records per batch; takes a few milliseconds. */
const BATCH_MAX = 200

interface Progress {
  user_id: Id
  /** User who performed the deletion. */
  actor_id: Id
  /** Number of records done. */
  done: number
}

export const purgeUser: JobStep<Progress> = (ctx, progress) =>
  write(ctx, tx => {
    tx.actorId = progress.actor_id
    return purgePiece(ctx, tx, progress)
  })

/** Processes one batch inside a transaction. Returns the progress, or null when nothing is left of the user. */
export async function purgePiece(ctx: Context, tx: Tx, progress: Progress): Promise<Progress | null> {
  const { user_id } = progress
  // Records are locked before the user, in the same order as when responding.
  let count = await purgeRecords(ctx, tx, user_id)
  if (count < BATCH_MAX) {
    await lockUserToDelete(tx, user_id)
    // Deletes what the user wrote in the meantime.
    count = Math.max(count, await purgeRecords(ctx, tx, user_id))
  }
  if (count === BATCH_MAX) return { ...progress, done: progress.done + count }
  await deleteUserRow(tx, user_id)
  return null
}

/** Returns the number of records. */
async function purgeRecords(ctx: Context, tx: Tx, userId: Id): Promise<number> {
  const nos = await listSomeTouched(tx, userId, BATCH_MAX)
  // Datasets are locked before records, in the same order as when changing a dataset.
  await lockDatasetsOf(tx, nos)
  const records = await lockTouched(tx, nos)
  await deleteTraces(tx, userId, records)
  for (const [datasetId, touched] of Map.groupBy(records, record => record.dataset_id)) {
    await logAndReopen(ctx, tx, { userId, datasetId, touched })
  }
  return records.length
}

interface PurgedRecords {
  userId: Id
  datasetId: Id
  touched: readonly TouchedRecord[]
}

/** Logs the change, and reopens completed records that no longer have enough submitted responses. */
async function logAndReopen(ctx: Context, tx: Tx, { userId, datasetId, touched }: PurgedRecords): Promise<void> {
  const dataset = await findDataset(tx, datasetId)
  // Records of a deleted dataset may still exist.
  if (!dataset) return
  const recordNos = touched.map(({ no }) => no)
  logChange(tx, { name: 'user.deleted', dataset_id: datasetId, recordNos, details: { user_id: userId } })
  const completed = touched.filter(({ status }) => status === 'completed').map(({ no }) => no)
  const submitted = await countSubmitted(tx, completed)
  const reopened = completed.filter(no => recordStatus(submitted.get(no) ?? 0, dataset.distribution) === 'pending')
  const updated_at = ctx.now()
  await updateStatuses(
    tx,
    reopened.map(no => ({ no, status: 'pending', updated_at })),
  )
  addToCounts(tx, datasetId, { records: 0, completed: -reopened.length })
}
