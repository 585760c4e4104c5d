import { allow, checkAt } from '@postil/domain/errors'
import { canWriteRecords } from '@postil/domain/permissions'
import { checkUpsertItems, type RecordUpsert } from '@postil/domain/records'
import type { Context, RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { JsonText } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadLockedDataset, type StoredDataset } from '../datasets/store.ts'
import { recomputeStatuses } from '../responses/recompute.ts'
import { listKnownUserIds } from '../users/store.ts'
import { listVectorsOf } from '../vectors/store.ts'
import { type Batch, newBatch, writeBatch } from './batch.ts'
import { changeFields, changeMetadata, type RecordChange } from './change.ts'
import { atItem, checkChatLengths } from './check-item.ts'
import { addNewRecord, addRelations, checkPublished, type NewRecord } from './create-bulk.ts'
import {
  type PreparedBulk,
  type PreparedItem,
  type RecordContent,
  responseUserIds,
  toCheckedContent,
  toPrepared,
} from './prepare.ts'
import { type Relations, recordJson } from './record-json.ts'
import { groupByRecord, listRelations } from './relations.ts'
import { listRecordsToUpsert, type RecordRow } from './store.ts'

/** Creates records, or changes those found by id or external id: either all or none. */
export async function upsertRecordsBulk(
  ctx: RequestContext,
  datasetId: string,
  given: RecordUpsert[] | PreparedBulk,
): Promise<JsonText> {
  if (Array.isArray(given)) {
    checkUpsertItems(given)
    checkChatLengths(ctx, given, atItem)
  }
  return write(ctx, async tx => {
    const dataset = await loadLockedDataset(tx, datasetId)
    allow(canWriteRecords(ctx.actor, dataset))
    const { settings, ...upserted } = await upsertRecords(ctx, tx, dataset, given)
    return answer(tx, settings, upserted)
  })
}

/** Upserts in a transaction that has locked the dataset and checked permissions. */
export async function upsertRecords(
  ctx: Context,
  tx: Tx,
  dataset: StoredDataset,
  given: RecordUpsert[] | PreparedBulk,
): Promise<UpsertResult & { settings: DatasetSettings }> {
  checkPublished(dataset)
  const settings = await loadDatasetSettings(tx, dataset)
  const { items, texts } = toPrepared(ctx, given, dataset, settings)
  const find = await findExisting(tx, dataset.id, items)
  const userIds = await listKnownUserIds(tx, responseUserIds(items))

  const upsert: RecordChange = { ctx, batch: newBatch() }
  const numbers = await tx.sql.reserveNumbers('records', items.length)
  const created = new Map<number, NewRecord>()
  const existing = new Map<number, RecordRow>()
  const rows = items.map((item, index) => {
    const row = find(item)
    const content = checkAt(['items', index], () => toCheckedContent(settings, item, userIds, row))
    if (row) {
      changeRecord(upsert, row, content, index)
      existing.set(row.no, row)
      return row
    }
    const recordNo = numbers[index] as number
    upsert.batch.documents.set(recordNo, index)
    const added = addNewRecord(ctx, upsert.batch, dataset, content, { recordNo, externalId: item.external_id })
    created.set(recordNo, added)
    return added.row
  })
  const segment = { bytes: texts, documents: items.length }
  await writeBatch(ctx, tx, dataset.id, upsert.batch, { overwrite: existing.size > 0, segment })
  await recomputeStatuses(ctx, tx, dataset, [...existing.values()])

  emitRecords(
    tx,
    'record.created',
    dataset.id,
    Array.from(created.values(), added => added.row),
  )
  emitRecords(tx, 'record.updated', dataset.id, [...existing.values()])
  const updatedIds = Array.from(existing.values(), row => row.id)
  return { settings, rows, created, updatedIds, batch: upsert.batch }
}

/** Finds the record of an item by its id, else by its external id. */
async function findExisting(tx: Tx, datasetId: string, items: readonly PreparedItem[]) {
  // Both maps share one object per record, so that later items see the changes of earlier ones.
  const rows = await listRecordsToUpsert(tx, datasetId, {
    ids: items.flatMap(item => item.id ?? []),
    externalIds: items.flatMap(item => item.external_id ?? []),
  })
  const ids = new Map(rows.map(row => [row.id, row]))
  const externalIds = new Map(rows.map(row => [row.external_id, row]))
  return ({ id, external_id }: PreparedItem): RecordRow | undefined =>
    (id === null ? undefined : ids.get(id)) ?? (external_id === null ? undefined : externalIds.get(external_id))
}

/** `document` is the segment document with the words of the item. */
function changeRecord(upsert: RecordChange, row: RecordRow, content: RecordContent, document: number): void {
  const { ctx, batch } = upsert
  if (content.fields !== null && changeFields(upsert, row, content.fields)) batch.documents.set(row.no, document)
  if (content.metadata !== undefined) changeMetadata(upsert, row, content.metadata)
  addRelations(ctx, batch, content, { recordNo: row.no, now: ctx.now() })
}

interface UpsertResult {
  rows: RecordRow[]
  created: ReadonlyMap<number, NewRecord>
  updatedIds: string[]
  batch: Batch
}

async function answer(tx: Tx, settings: DatasetSettings, { rows, created, updatedIds, batch }: UpsertResult): Promise<JsonText> {
  const existing = rows.filter(row => !created.has(row.no))
  const stored = await listRelations(tx, settings, existing, { responses: true, suggestions: true, vectors: false, userId: null })
  const vectorsOf = await findVectors(tx, settings, existing, batch)
  const relationsOf = (row: RecordRow) => created.get(row.no)?.relations ?? { ...stored(row), vectors: vectorsOf(row) }
  const items = rows.map(row => recordJson(row, relationsOf(row), settings.names)).join()
  return new JsonText(`{"items":[${items}],"updated_item_ids":${JSON.stringify(updatedIds)}}`)
}

/**
 * Returns all vectors of existing records. Records for which all vectors were given are not read, because that would take as long
 * as storing them.
 */
async function findVectors(tx: Tx, { vectorNos }: DatasetSettings, existing: readonly RecordRow[], batch: Batch) {
  const given = groupByRecord([...batch.vectors.values()])
  const hasAll = ({ no }: RecordRow) => (given.get(no)?.length ?? 0) === vectorNos.size
  const unread = existing.filter(row => !hasAll(row)).map(row => row.no)
  const read = groupByRecord(await listVectorsOf(tx, unread, [...vectorNos.values()]))
  return (row: RecordRow): Relations['vectors'] => (hasAll(row) ? given : read).get(row.no)?.sort(byKind) ?? []
}

const byKind = (left: { vectors_settings_no: number }, right: { vectors_settings_no: number }) =>
  left.vectors_settings_no - right.vectors_settings_no
