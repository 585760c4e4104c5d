import { allow } from '@postil/domain/errors'
import { parseIds } from '@postil/domain/ids'
import { canWriteRecords } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { JsonText } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset, loadDatasetOf, type StoredDataset } from '../datasets/store.ts'
import { recordJson } from './record-json.ts'
import { removeRows } from './remove.ts'
import { listRecordsToChange, loadRecordToChange, type RecordRow } from './store.ts'

/** Deletes one record and returns it without its relations. */
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

/** Deletes up to 100 records. Ids that are not records of the dataset are skipped. */
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
  await removeRows(tx, dataset, rows)
  const details = { count: rows.length }
  await audit(tx, ctx, { action: 'dataset.records_deleted', target: dataset, workspaceId: dataset.workspace_id, details })
}
