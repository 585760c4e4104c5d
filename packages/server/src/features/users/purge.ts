/**
 * Removes what a deleted user left, some records at a time, and then the user's row.
 *
 * Each piece is a transaction of its own: responses, their history, flags and comments of these records go, records that have too few
 * responses now are pending again, and the log says so. The row goes last, because everything else refers to it.
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

/** Records of one piece: some milliseconds. */
const BATCH_MAX = 200

interface Progress {
  user_id: Id
  /** Who deleted the user. */
  actor_id: Id
  /** How many records are done. */
  done: number
}

export const purgeUser: JobStep<Progress> = (ctx, progress) =>
  write(ctx, tx => {
    tx.actorId = progress.actor_id
    return purgePiece(ctx, tx, progress)
  })

/** Does one piece inside a transaction; answers how far it is, or null when nothing is left of the user. */
export async function purgePiece(ctx: Context, tx: Tx, progress: Progress): Promise<Progress | null> {
  const { user_id } = progress
  // Records are locked before the user, as those who respond do.
  let count = await purgeRecords(ctx, tx, user_id)
  if (count < BATCH_MAX) {
    await lockUserToDelete(tx, user_id)
    // What the user wrote meanwhile.
    count = Math.max(count, await purgeRecords(ctx, tx, user_id))
  }
  if (count === BATCH_MAX) return { ...progress, done: progress.done + count }
  await deleteUserRow(tx, user_id)
  return null
}

/** Answers how many records there were. */
async function purgeRecords(ctx: Context, tx: Tx, userId: Id): Promise<number> {
  const nos = await listSomeTouched(tx, userId, BATCH_MAX)
  // Before records, as those do who change a dataset.
  await lockDatasetsOf(tx, nos)
  const records = await lockTouched(tx, nos)
  await deleteTraces(tx, userId, records)
  for (const [datasetId, touched] of Map.groupBy(records, record => record.dataset_id)) {
    await tellAndReopen(ctx, tx, { userId, datasetId, touched })
  }
  return records.length
}

interface Purged {
  userId: Id
  datasetId: Id
  touched: readonly TouchedRecord[]
}

/** Logs the change, and reopens those of the completed records that have too few submitted responses now. */
async function tellAndReopen(ctx: Context, tx: Tx, { userId, datasetId, touched }: Purged): Promise<void> {
  const dataset = await findDataset(tx, datasetId)
  // A deleted dataset's records are still to be removed.
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
