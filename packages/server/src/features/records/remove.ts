import { emitRecords } from '../../events/emit.ts'
import { addToCounts } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { deleteRecords, type RecordRow } from './store.ts'

/** Deletes records with their relations and emits the events. Used by the record routes and by jobs. */
export async function removeRows(tx: Tx, dataset: StoredDataset, rows: readonly RecordRow[]): Promise<void> {
  if (rows.length === 0) return
  await deleteRecords(
    tx,
    rows.map(row => row.no),
  )
  const completed = rows.filter(row => row.status === 'completed').length
  addToCounts(tx, dataset.id, { records: -rows.length, completed: -completed })
  emitRecords(tx, 'record.deleted', dataset.id, rows)
}
