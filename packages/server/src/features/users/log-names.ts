import type { Id } from '@postil/domain/schema'
import { logChange } from '../../events/emit.ts'
import type { Tx } from '../../storage/write.ts'
import { listDatasetsShowing } from './pseudonym-store.ts'

/** Logs a change of a user's names in every dataset that shows them. */
export async function logNames(tx: Tx, userId: Id): Promise<void> {
  for (const dataset_id of await listDatasetsShowing(tx, userId)) {
    logChange(tx, { name: 'user.updated', dataset_id, details: { user_id: userId } })
  }
}
