import { allow } from '@postil/domain/errors'
import { parseIds } from '@postil/domain/ids'
import { canWriteRecords } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { JsonText } from '../../lib/answer.ts'
import { addToCounts } from '../../storage/heads.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset, loadDatasetOf, type StoredDataset } from '../datasets/store.ts'
import { recordJson } from './record-json.ts'
import { deleteRecords as deleteRows, listRecordsToChange, loadRecordToChange, type RecordRow } from './store.ts'

/** Deletes one record and answers it as it was, without what hung on it. */
export function deleteRecord(ctx: RequestContext, recordId: string): Promise<JsonText> {
  return write(ctx, async tx => {
    const row = await loadRecordToChange(tx, recordId)
    const dataset = await loadDatasetOf(tx, row)
    allow(canWriteRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(tx, dataset)
    await remove(ctx, tx, dataset, [row])
    return new JsonText(recordJson(row, {}, settings.names))
  })
}

/** Deletes up to 100 records; ids of no record of the dataset are passed over. */
export function deleteRecords(ctx: RequestContext, datasetId: string, ids: string): Promise<undefined> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(tx, datasetId)
    allow(canWriteRecords(ctx.actor, dataset))
    await remove(ctx, tx, dataset, await listRecordsToChange(tx, dataset.id, parseIds(ids)))
    return undefined
  })
}

async function remove(ctx: RequestContext, tx: Tx, dataset: StoredDataset, rows: readonly RecordRow[]): Promise<void> {
  if (rows.length === 0) return
  await deleteRows(
    tx,
    rows.map(row => row.no),
  )
  const completed = rows.filter(row => row.status === 'completed').length
  addToCounts(tx, dataset.id, { records: -rows.length, completed: -completed })
  emitRecords(tx, 'record.deleted', dataset.id, rows)
  const details = { count: rows.length }
  await audit(tx, ctx, { action: 'dataset.records_deleted', target: dataset, workspaceId: dataset.workspace_id, details })
}
