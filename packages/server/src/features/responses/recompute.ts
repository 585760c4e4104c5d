/** Record status follows from responses; this is where the two are brought in step. */
import { recordStatus } from '@postil/domain/distribution'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { addToCounts, type RecordRow, updateRecords } from '../records/store.ts'
import { countSubmitted } from './store.ts'

/** Brings the status of records in step with their responses; answers those that changed. */
export async function recomputeStatuses(
  ctx: Context,
  tx: Queryable,
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
  await updateRecords(tx, changed)
  const completed = changed.filter(row => row.status === 'completed').length
  await addToCounts(tx, dataset.id, { records: 0, completed: completed - (changed.length - completed) })
  return changed
}
