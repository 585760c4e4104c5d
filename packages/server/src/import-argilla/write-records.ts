import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { loadDatasetSettings } from '../features/datasets/settings.ts'
import { loadLockedDataset } from '../features/datasets/store.ts'
import { type Batch, newBatch, writeBatch } from '../features/records/batch.ts'
import { toSuggestionContent, toTextPieces, type VectorContent } from '../features/records/rows.ts'
import { toFloats } from '../features/vectors/store.ts'
import { toShuffleBucket } from '../search/shuffle.ts'
import { addChange } from '../storage/heads.ts'
import { write } from '../storage/write.ts'
import type { SourceRecord } from './read-records.ts'

type Settings = Awaited<ReturnType<typeof loadDatasetSettings>>

/** Writes records that the target does not have, with their responses, suggestions and vectors. */
export function writeRecords(ctx: Context, datasetId: Id, records: readonly SourceRecord[]): Promise<void> {
  if (records.length === 0) return Promise.resolve()
  return write(ctx, async tx => {
    const dataset = await loadLockedDataset(tx, datasetId)
    const settings = await loadDatasetSettings(tx, dataset)
    const numbers = await tx.sql.reserveNumbers('records', records.length)
    const batch = newBatch()
    for (const [index, record] of records.entries()) addRecord(batch, settings, datasetId, record, numbers[index] as number)
    await writeBatch(ctx, tx, datasetId, batch, { overwrite: false })
    addChange(tx, datasetId, { event: 'record.created', recordNos: numbers })
  })
}

function addRecord(batch: Batch, settings: Settings, dataset_id: Id, record: SourceRecord, no: number): void {
  const { id, external_id, status, fields, metadata, inserted_at, updated_at } = record
  batch.inserted.push({
    no,
    id,
    dataset_id,
    external_id,
    status,
    shuffle: toShuffleBucket(id),
    fields: JSON.stringify(fields),
    metadata: metadata && JSON.stringify(metadata),
    inserted_at,
    updated_at,
  })
  if (status === 'completed') batch.completed++
  batch.texts.set(no, { recordNo: no, pieces: toTextPieces(settings, fields) })
  for (const { record_id: _, values, ...response } of record.responses) {
    batch.responses.set(response.id, { ...response, record_no: no, values: JSON.stringify(values) })
  }
  for (const suggestion of record.suggestions) {
    const { id, inserted_at, updated_at } = suggestion
    const content = toSuggestionContent(settings, suggestion as Parameters<typeof toSuggestionContent>[1])
    batch.suggestions.set(id, { ...content, id, record_no: no, inserted_at, updated_at })
  }
  for (const vector of record.vectors) {
    const content: VectorContent = { vectors_settings_no: toVectorNo(settings, vector), value: toFloats(vector.value), text: '' }
    batch.vectors.set(`${no} ${content.vectors_settings_no}`, { record_no: no, ...content })
  }
}

function toVectorNo({ vectorsSettings }: Settings, { vectors_settings_id }: { vectors_settings_id: Id }): number {
  const found = vectorsSettings.find(({ id }) => id === vectors_settings_id)
  if (!found) throw new Error(`Vectors settings ${vectors_settings_id} are not in the target`)
  return found.no
}
