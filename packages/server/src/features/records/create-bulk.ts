import { recordStatus } from '@postil/domain/distribution'
import { allow, checkAt, invalid } from '@postil/domain/errors'
import { listed } from '@postil/domain/own'
import { canWriteRecords } from '@postil/domain/permissions'
import { type RecordCreate, type RecordUpsert, toStoredFields } from '@postil/domain/records'
import type { RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { JsonText } from '../../lib/answer.ts'
import { recordShuffle } from '../../search/shuffle.ts'
import { type Tx, write } from '../../storage/write.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { loadDataset } from '../datasets/store.ts'
import { listKnownUserIds } from '../users/store.ts'
import { type Batch, newBatch, writeBatch } from './batch.ts'
import { atItem, checkChatLengths, checkNewRecord } from './check-item.ts'
import { type Relations, recordJson } from './record-json.ts'
import { toResponseRow, toSuggestionRow, toTextDocument, toVectorRows } from './rows.ts'
import { listRecordsByExternalIds, type RecordRow } from './store.ts'

export interface NewRecord {
  row: RecordRow
  relations: Required<Relations>
}

/** Creates records with their responses, suggestions and vectors: all of them, or none. */
export function createRecordsBulk(ctx: RequestContext, datasetId: string, items: RecordCreate[]): Promise<JsonText> {
  return write(ctx, async tx => {
    const { settings, records } = await createRecords(ctx, tx, datasetId, items)
    return new JsonText(`{"items":[${records.map(record => recordJson(record.row, record.relations, settings.names)).join()}]}`)
  })
}

/** The older route: the same, with an empty answer. */
export function createRecordsQuietly(ctx: RequestContext, datasetId: string, items: RecordCreate[]): Promise<undefined> {
  return write(ctx, async tx => void (await createRecords(ctx, tx, datasetId, items)) as undefined)
}

async function createRecords(ctx: RequestContext, tx: Tx, datasetId: string, items: RecordCreate[]) {
  checkChatLengths(ctx, items, atItem)
  const dataset = await loadDataset(tx, datasetId)
  allow(canWriteRecords(ctx.actor, dataset))
  checkPublished(dataset)
  await checkExternalIdsFree(tx, dataset.id, items)
  const settings = await loadDatasetSettings(tx, dataset)
  const userIds = await listKnownUserIds(tx, responseUserIds(items))

  const numbers = await tx.sql.reserveNumbers('records', items.length)
  const batch = newBatch()
  const records = items.map((item, index) => {
    const fields = checkAt(['items', index], () => checkNewRecord(item, settings.rules, userIds))
    return addNewRecord(ctx, batch, dataset, settings, { ...item, fields }, numbers[index] as number)
  })
  await writeBatch(ctx, tx, dataset.id, batch, { overwrite: false })
  emitRecords(
    tx,
    'record.created',
    dataset.id,
    records.map(record => record.row),
  )
  return { settings, records }
}

export function checkPublished(dataset: StoredDataset): void {
  if (dataset.status !== 'ready') throw invalid('Records can be added to a published dataset only: publish it first')
}

async function checkExternalIdsFree(tx: Tx, datasetId: string, items: readonly RecordCreate[]): Promise<void> {
  const taken = await listRecordsByExternalIds(
    tx,
    datasetId,
    items.flatMap(item => item.external_id ?? []),
  )
  if (taken.length > 0)
    throw invalid(`Records with these external ids exist already: ${listed(taken.map(row => `\`${row.external_id}\``))}`)
}

export const responseUserIds = (items: readonly RecordUpsert[]): string[] => [
  ...new Set(items.flatMap(item => item.responses?.map(response => response.user_id) ?? [])),
]

/** Adds a checked record and all it holds to what will be written. */
export function addNewRecord(
  ctx: RequestContext,
  batch: Batch,
  dataset: StoredDataset,
  settings: DatasetSettings,
  item: RecordUpsert,
  recordNo: number,
): NewRecord {
  const id = ctx.newId()
  const now = ctx.now()
  const fields = toStoredFields(item.fields ?? {}, settings.rules)
  const submitted = (item.responses ?? []).filter(response => response.status === 'submitted').length
  const status = recordStatus(submitted, dataset.distribution)
  const row: RecordRow = {
    no: recordNo,
    id,
    dataset_id: dataset.id,
    external_id: item.external_id ?? null,
    status,
    shuffle: recordShuffle(id),
    fields: JSON.stringify(fields),
    metadata: item.metadata == null ? null : JSON.stringify(item.metadata),
    inserted_at: now,
    updated_at: now,
  }
  batch.inserted.push(row)
  if (status === 'completed') batch.completed++
  batch.texts.set(recordNo, toTextDocument(settings, fields, recordNo))
  return { row, relations: addRelations(ctx, batch, dataset, settings, item, { recordNo, now }) }
}

/** Adds suggestions, responses and vectors of a record, new or not, to what will be written. */
export function addRelations(
  ctx: RequestContext,
  batch: Batch,
  dataset: StoredDataset,
  settings: DatasetSettings,
  item: RecordUpsert,
  { recordNo, now }: { recordNo: number; now: string },
): Required<Relations> {
  const suggestions = (item.suggestions ?? []).map(suggestion => {
    const row = toSuggestionRow(settings, suggestion, { id: ctx.newId(), now, recordNo })
    batch.suggestions.set(`${recordNo} ${row.question_no}`, row)
    return row
  })
  const responses = (item.responses ?? []).map(response => {
    const row = toResponseRow(dataset.id, response.user_id, response, { id: ctx.newId(), now, recordNo })
    batch.responses.set(`${recordNo} ${row.user_id}`, row)
    return row
  })
  const vectors = toVectorRows(settings, item.vectors, recordNo)
  for (const vector of vectors) batch.vectors.set(`${recordNo} ${vector.vectors_settings_no}`, vector)
  return { suggestions, responses, vectors }
}
