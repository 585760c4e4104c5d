/** Derives the status of records from their responses. */
import { recordStatus } from '@postil/domain/distribution'
import type { Context } from '../../context.ts'
import { addToCounts } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import { updateStatuses } from '../datasets/status-store.ts'
import type { StoredDataset } from '../datasets/store.ts'
import type { RecordRow } from '../records/store.ts'
import { countSubmitted } from './store.ts'

/**
 * Updates the status of records according to their responses. Returns those that changed. `known` is the number of submitted
 * responses by record, if the caller has it.
 */
export async function recomputeStatuses(
  ctx: Context,
  tx: Tx,
  dataset: StoredDataset,
  rows: readonly RecordRow[],
  known?: ReadonlyMap<number, number>,
): Promise<RecordRow[]> {
  const submitted =
    known ??
    (await countSubmitted(
      tx,
      rows.map(row => row.no),
    ))
  const changed = rows.filter(row => recordStatus(submitted.get(row.no) ?? 0, dataset.distribution) !== row.status)
  for (const row of changed) {
    row.status = recordStatus(submitted.get(row.no) ?? 0, dataset.distribution)
    row.updated_at = ctx.now()
  }
  await updateStatuses(tx, changed)
  const completed = changed.filter(row => row.status === 'completed').length
  addToCounts(tx, dataset.id, { records: 0, completed: completed - (changed.length - completed) })
  return changed
}
