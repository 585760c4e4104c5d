import { recordStatus } from '@postil/domain/distribution'
import { allow } from '@postil/domain/errors'
import { canManageUsers } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { User } from '@postil/domain/users'
import type { RequestContext } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import { addToCounts } from '../../storage/heads.ts'
import { type Tx, write } from '../../storage/write.ts'
import { updateStatuses } from '../datasets/status-store.ts'
import { findDataset } from '../datasets/store.ts'
import { countSubmitted } from '../responses/store.ts'
import {
  deleteUserRow,
  listRecordsCompletedWith,
  listRecordsTouchedBy,
  loadUser,
  lockDatasetsAnsweredBy,
  lockUserToDelete,
  toUser,
} from './store.ts'

/** SQLite accepts 32,766 bound values in one statement; pieces of one size share a prepared statement. */
const RECORDS_AT_ONCE = 5_000

/**
 * Deletes a user with their responses; records that these completed are pending again. Deleting oneself or the last owner
 * is not refused. No event is emitted: to the people who listen, nobody changed a response. The change log says it.
 */
export function deleteUser(ctx: RequestContext, userId: Id): Promise<User> {
  return write(ctx, async tx => {
    const user = await loadUser(tx, userId)
    allow(canManageUsers(ctx.actor))

    await lockDatasetsAnsweredBy(tx, userId)
    // Records are locked before the user, as those who respond do. The second time adds those that the user completed meanwhile.
    await listRecordsCompletedWith(tx, userId)
    await lockUserToDelete(tx, userId)
    const completed = await listRecordsCompletedWith(tx, userId)
    const touched = await listRecordsTouchedBy(tx, userId)
    await deleteUserRow(tx, userId)
    for (const [dataset_id, records] of Map.groupBy(touched, record => record.dataset_id)) {
      logChange(tx, { name: 'user.deleted', dataset_id, recordNos: records.map(({ no }) => no), details: { user_id: userId } })
    }
    for (const [datasetId, records] of Map.groupBy(completed, record => record.dataset_id)) {
      const nos = records.map(record => record.no)
      await recompute(tx, datasetId, nos, ctx.now())
    }
    return toUser(ctx, user)
  })
}

/** Reopens those of a dataset's completed records that have too few submitted responses now. */
async function recompute(tx: Tx, datasetId: Id, recordNos: readonly number[], now: string): Promise<void> {
  const dataset = await findDataset(tx, datasetId)
  // A deleted dataset's records are still to be removed.
  if (!dataset) return
  for (let start = 0; start < recordNos.length; start += RECORDS_AT_ONCE) {
    const piece = recordNos.slice(start, start + RECORDS_AT_ONCE)
    const submitted = await countSubmitted(tx, piece)
    const reopened = piece
      .map(no => ({ no, status: recordStatus(submitted.get(no) ?? 0, dataset.distribution), updated_at: now }))
      .filter(record => record.status === 'pending')
    await updateStatuses(tx, reopened)
    addToCounts(tx, datasetId, { records: 0, completed: -reopened.length })
  }
}
