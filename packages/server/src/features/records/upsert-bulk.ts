import { allow, checkAt } from '@postil/domain/errors'
import { canWriteRecords } from '@postil/domain/permissions'
import { checkUpsertItems, type RecordFields, type RecordUpsert, toStoredFields } from '@postil/domain/records'
import type { RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { JsonText } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { recomputeStatuses } from '../responses/recompute.ts'
import { listKnownUserIds } from '../users/store.ts'
import { newBatch, writeBatch } from './batch.ts'
import { changeFields, changeMetadata, type RecordChange } from './change.ts'
import { atItem, checkChangedRecord, checkChatLengths, checkNewRecord, hasFields } from './check-item.ts'
import { addNewRecord, addRelations, checkPublished, type NewRecord, responseUserIds } from './create-bulk.ts'
import { recordJson } from './record-json.ts'
import { listRelations } from './relations.ts'
import { listRecordsToUpsert, type RecordRow } from './store.ts'

/** Creates records, or changes those found by id or external id: all of them, or none. */
export function upsertRecordsBulk(ctx: RequestContext, datasetId: string, items: RecordUpsert[]): Promise<JsonText> {
  checkUpsertItems(items)
  checkChatLengths(ctx, items, atItem)
  return write(ctx, async tx => {
    const dataset = await loadDataset(tx, datasetId)
    allow(canWriteRecords(ctx.actor, dataset))
    checkPublished(dataset)
    const settings = await loadDatasetSettings(tx, dataset)
    const find = await findExisting(tx, dataset.id, items)
    const userIds = await listKnownUserIds(tx, responseUserIds(items))

    const upsert: RecordChange = { ctx, dataset, settings, batch: newBatch() }
    const numbers = await tx.sql.reserveNumbers('records', items.length)
    const created = new Map<number, NewRecord>()
    const existing = new Map<number, RecordRow>()
    const rows = items.map((item, index) =>
      checkAt(['items', index], () => {
        const row = find(item)
        if (row) {
          changeRecord(upsert, row, item, userIds)
          existing.set(row.no, row)
          return row
        }
        checkNewRecord(item, settings.rules, userIds)
        const added = addNewRecord(ctx, upsert.batch, dataset, settings, item, numbers[index] as number)
        created.set(added.row.no, added)
        return added.row
      }),
    )
    await writeBatch(ctx, tx, dataset.id, upsert.batch, { overwrite: existing.size > 0 })
    await recomputeStatuses(ctx, tx, dataset, [...existing.values()])

    emitRecords(
      tx,
      'record.created',
      dataset.id,
      Array.from(created.values(), added => added.row),
    )
    emitRecords(tx, 'record.updated', dataset.id, [...existing.values()])
    const updatedIds = Array.from(existing.values(), row => row.id)
    return answer(tx, settings, rows, created, updatedIds)
  })
}

/** The record an item means: the one with its id, else the one with its external id. */
async function findExisting(tx: Tx, datasetId: string, items: readonly RecordUpsert[]) {
  // One object per record, however it is found: an item changes what the next one sees.
  const rows = await listRecordsToUpsert(tx, datasetId, {
    ids: items.flatMap(item => item.id ?? []),
    externalIds: items.flatMap(item => item.external_id ?? []),
  })
  const ids = new Map(rows.map(row => [row.id, row]))
  const externalIds = new Map(rows.map(row => [row.external_id, row]))
  return ({ id, external_id }: RecordUpsert): RecordRow | undefined =>
    (id == null ? undefined : ids.get(id)) ?? (external_id == null ? undefined : externalIds.get(external_id))
}

function changeRecord(upsert: RecordChange, row: RecordRow, item: RecordUpsert, userIds: ReadonlySet<string>): void {
  const { ctx, dataset, settings } = upsert
  const fields = (hasFields(item) ? item.fields : JSON.parse(row.fields)) as RecordFields
  checkChangedRecord(item, settings.rules, fields, userIds)
  if (hasFields(item)) changeFields(upsert, row, toStoredFields(fields, settings.rules))
  if (item.metadata !== undefined) changeMetadata(upsert, row, item.metadata)
  addRelations(ctx, upsert.batch, dataset, settings, item, { recordNo: row.no, now: ctx.now() })
}

async function answer(
  tx: Tx,
  settings: DatasetSettings,
  rows: RecordRow[],
  created: ReadonlyMap<number, NewRecord>,
  updatedIds: string[],
): Promise<JsonText> {
  const existing = rows.filter(row => !created.has(row.no))
  const stored = await listRelations(tx, settings, existing, { responses: true, suggestions: true, vectors: true, userId: null })
  const items = rows.map(row => recordJson(row, created.get(row.no)?.relations ?? stored(row), settings.names)).join()
  return new JsonText(`{"items":[${items}],"updated_item_ids":${JSON.stringify(updatedIds)}}`)
}
