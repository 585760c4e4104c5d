import { recordStatus } from '@postil/domain/distribution'
import { allow, checkAt, invalid } from '@postil/domain/errors'
import { listed } from '@postil/domain/message-values'
import { canWriteRecords } from '@postil/domain/permissions'
import type { RecordCreate } from '@postil/domain/records'
import type { Context, RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { JsonText } from '../../lib/answer.ts'
import { toShuffleBucket } from '../../search/shuffle.ts'
import { type Tx, write } from '../../storage/write.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { loadLockedDataset } from '../datasets/store.ts'
import { listKnownUserIds } from '../users/store.ts'
import { type Batch, newBatch, writeBatch } from './batch.ts'
import { atItem, checkChatLengths } from './check-item.ts'
import { type PreparedBulk, type RecordContent, responseUserIds, toCheckedContent, toPrepared } from './prepare.ts'
import { type Relations, recordJson } from './record-json.ts'
import { toResponseRow, toSuggestionRow } from './rows.ts'
import { listRecordsByExternalIds, type RecordRow } from './store.ts'

export interface NewRecord {
  row: RecordRow
  relations: Required<Relations>
}

/** Items, or a bulk prepared in another thread. */
type BulkInput = RecordCreate[] | PreparedBulk

/** Creates records with their responses, suggestions and vectors: either all or none. */
export function createRecordsBulk(ctx: RequestContext, datasetId: string, given: BulkInput): Promise<JsonText> {
  return write(ctx, async tx => {
    const { settings, records } = await createRecords(ctx, tx, datasetId, given)
    return new JsonText(`{"items":[${records.map(record => recordJson(record.row, record.relations, settings.names)).join()}]}`)
  })
}

/** Legacy route: same as `createRecordsBulk`, with an empty response. */
export function createRecordsQuietly(ctx: RequestContext, datasetId: string, given: BulkInput): Promise<undefined> {
  return write(ctx, async tx => void (await createRecords(ctx, tx, datasetId, given)) as undefined)
}

async function createRecords(ctx: RequestContext, tx: Tx, datasetId: string, given: BulkInput) {
  if (Array.isArray(given)) checkChatLengths(ctx, given, atItem)
  const dataset = await loadLockedDataset(tx, datasetId)
  allow(canWriteRecords(ctx.actor, dataset))
  checkPublished(dataset)
  await checkExternalIdsFree(tx, dataset.id, Array.isArray(given) ? given : given.items)
  const settings = await loadDatasetSettings(tx, dataset)
  const { items, texts } = toPrepared(ctx, given, dataset, settings)
  const userIds = await listKnownUserIds(tx, responseUserIds(items))

  const numbers = await tx.sql.reserveNumbers('records', items.length)
  const batch = newBatch()
  const records = items.map((item, index) => {
    const content = checkAt(['items', index], () => toCheckedContent(settings, item, userIds, undefined))
    const recordNo = numbers[index] as number
    batch.documents.set(recordNo, index)
    return addNewRecord(ctx, batch, dataset, content, { recordNo, externalId: item.external_id })
  })
  await writeBatch(ctx, tx, dataset.id, batch, { overwrite: false, segment: { bytes: texts, documents: items.length } })
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

async function checkExternalIdsFree(
  tx: Tx,
  datasetId: string,
  items: readonly { external_id?: string | null | undefined }[],
): Promise<void> {
  const taken = await listRecordsByExternalIds(
    tx,
    datasetId,
    items.flatMap(item => item.external_id ?? []),
  )
  if (taken.length > 0)
    throw invalid(`Records with these external ids exist already: ${listed(taken.map(row => `\`${row.external_id}\``))}`)
}

/** Adds a validated record with its relations to the batch. */
export function addNewRecord(
  ctx: Context,
  batch: Batch,
  dataset: StoredDataset,
  content: RecordContent,
  { recordNo, externalId }: { recordNo: number; externalId: string | null },
): NewRecord {
  const id = ctx.newId()
  const now = ctx.now()
  const submitted = content.responses.filter(response => response.status === 'submitted').length
  const status = recordStatus(submitted, dataset.distribution)
  const row: RecordRow = {
    no: recordNo,
    id,
    dataset_id: dataset.id,
    external_id: externalId,
    status,
    shuffle: toShuffleBucket(id),
    fields: content.fields ?? '{}',
    metadata: content.metadata ?? null,
    inserted_at: now,
    updated_at: now,
  }
  batch.inserted.push(row)
  if (status === 'completed') batch.completed++
  return { row, relations: addRelations(ctx, batch, content, { recordNo, now }) }
}

/** Adds suggestions, responses and vectors of a new or existing record to the batch. */
export function addRelations(
  ctx: Context,
  batch: Batch,
  content: Pick<RecordContent, 'suggestions' | 'responses' | 'vectors'>,
  { recordNo, now }: { recordNo: number; now: string },
): Required<Relations> {
  const suggestions = content.suggestions.map(suggestion => {
    const row = toSuggestionRow(suggestion, { id: ctx.newId(), now, recordNo })
    batch.suggestions.set(`${recordNo} ${row.question_no}`, row)
    return row
  })
  const responses = content.responses.map(response => {
    const row = toResponseRow(response, { id: ctx.newId(), now, recordNo })
    batch.responses.set(`${recordNo} ${row.user_id}`, row)
    return row
  })
  for (const vector of content.vectors) {
    batch.vectors.set(`${recordNo} ${vector.vectors_settings_no}`, { record_no: recordNo, ...vector })
  }
  return { suggestions, responses, vectors: content.vectors }
}
