/** Record status follows from responses; this is where the two are brought in step. */
import { recordStatus } from '@postil/domain/distribution'
import type { Context } from '../../context.ts'
import { addToCounts } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import { updateStatuses } from '../datasets/status-store.ts'
import type { StoredDataset } from '../datasets/store.ts'
import type { RecordRow } from '../records/store.ts'
import { countSubmitted } from './store.ts'

/** Brings the status of records in step with their responses; answers those that changed. */
export async function recomputeStatuses(
  ctx: Context,
  tx: Tx,
  dataset: StoredDataset,
  rows: readonly RecordRow[],
): Promise<RecordRow[]> {
  const submitted = await countSubmitted(
    tx,
    rows.map(row => row.no),
  )
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
