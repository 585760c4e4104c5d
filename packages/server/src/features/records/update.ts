import { allow, checkAt, invalid } from '@postil/domain/errors'
import { listed } from '@postil/domain/message-values'
import { canWriteRecords } from '@postil/domain/permissions'
import {
  checkFields,
  checkMetadata,
  checkVectors,
  type RecordFields,
  type RecordsUpdate,
  type RecordUpdate,
  toStoredFields,
} from '@postil/domain/records'
import { checkSuggestions } from '@postil/domain/suggestions'
import type { RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { JsonText } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadLockedDataset, loadLockedDatasetOf } from '../datasets/store.ts'
import { deleteSuggestions, listSuggestionsOf } from '../suggestions/store.ts'
import { newBatch, writeBatch } from './batch.ts'
import { changeFields, changeMetadata, type RecordChange } from './change.ts'
import { atItem, checkChatLengths } from './check-item.ts'
import { addRelations, checkPublished } from './create-bulk.ts'
import { recordJson } from './record-json.ts'
import { listRelations } from './relations.ts'
import { toSuggestionContent, toTextPieces, toVectorContents } from './rows.ts'
import { listRecordsToChange, loadRecordToChange, type RecordRow } from './store.ts'

/** Changes the given parts of one record. Without any known key, nothing is written and no event is sent. */
export function updateRecord(ctx: RequestContext, recordId: string, update: RecordUpdate): Promise<JsonText> {
  checkChatLengths(ctx, [update], () => ['body'])
  return write(ctx, async tx => {
    const [dataset, row] = await Promise.all([loadLockedDatasetOf(tx, recordId), loadRecordToChange(tx, recordId)])
    allow(canWriteRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(tx, dataset)
    if (Object.hasOwn(update, 'fields') && update.fields == null) checkFields(update.fields, settings.rules)
    if (isChange(update)) {
      const change: RecordChange = { ctx, batch: newBatch() }
      applyUpdate(change, settings, row, update)
      await clearSuggestions(tx, [{ row, update }])
      await writeBatch(ctx, tx, dataset.id, change.batch, { overwrite: true })
      emitRecords(tx, 'record.updated', dataset.id, [row])
    }
    const relations = await listRelations(tx, settings, [row], {
      responses: true,
      suggestions: true,
      vectors: true,
      userId: null,
    })
    return new JsonText(recordJson(row, relations(row), settings.names))
  })
}

/** Legacy route: updates several records by id, with an empty response. */
export function updateRecords(ctx: RequestContext, datasetId: string, items: RecordsUpdate['items']): Promise<undefined> {
  checkChatLengths(ctx, items, atItem)
  return write(ctx, async tx => {
    const dataset = await loadLockedDataset(tx, datasetId)
    allow(canWriteRecords(ctx.actor, dataset))
    checkPublished(dataset)
    const settings = await loadDatasetSettings(tx, dataset)
    const rows = new Map(
      (
        await listRecordsToChange(
          tx,
          dataset.id,
          items.map(item => item.id),
        )
      ).map(row => [row.id, row]),
    )
    checkIds(items, rows)

    const change: RecordChange = { ctx, batch: newBatch() }
    const updates = items.map((update, index) => {
      const row = rows.get(update.id) as RecordRow
      checkAt(['items', index], () => isChange(update) && applyUpdate(change, settings, row, update))
      return { row, update }
    })
    await clearSuggestions(tx, updates)
    await writeBatch(ctx, tx, dataset.id, change.batch, { overwrite: true })
    const changed = updates.filter(({ update }) => isChange(update)).map(({ row }) => row)
    emitRecords(tx, 'record.updated', dataset.id, changed)
    return undefined
  })
}

const isChange = (update: RecordUpdate) =>
  (['fields', 'metadata', 'suggestions', 'vectors'] as const).some(key => update[key] !== undefined)

function checkIds(items: RecordsUpdate['items'], rows: ReadonlyMap<string, RecordRow>): void {
  const ids = items.map(item => item.id)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw invalid(`These records are named more than once: ${listed([...new Set(twice)])}`)
  const unknown = ids.filter(id => !rows.has(id))
  if (unknown.length > 0) throw invalid(`These are not records of the dataset: ${listed(unknown)}`)
}

/** Validates in the order that clients expect, then applies the update. `updated_at` changes with every known key. */
function applyUpdate(change: RecordChange, settings: DatasetSettings, row: RecordRow, update: RecordUpdate): void {
  const { ctx, batch } = change
  const fields = (update.fields ?? JSON.parse(row.fields)) as RecordFields
  if (update.fields != null) checkFields(update.fields as RecordFields, settings.rules)
  checkMetadata(update.metadata, settings.rules)
  checkVectors(update.vectors, settings.rules)
  checkSuggestions(update.suggestions ?? [], settings.rules, fields)
  if (update.fields != null) {
    const stored = toStoredFields(fields, settings.rules)
    const isChanged = changeFields(change, row, JSON.stringify(stored))
    if (isChanged) batch.texts.set(row.no, { recordNo: row.no, pieces: toTextPieces(settings, stored) })
  }
  if (update.metadata !== undefined) changeMetadata(change, row, update.metadata && JSON.stringify(update.metadata))
  row.updated_at = ctx.now()
  batch.updated.set(row.no, row)
  const content = {
    suggestions: (update.suggestions ?? []).map(suggestion => toSuggestionContent(settings, suggestion)),
    responses: [],
    vectors: toVectorContents(settings, update.vectors),
  }
  addRelations(ctx, batch, content, { recordNo: row.no, now: row.updated_at })
}

/** Given suggestions replace the whole set, so the previous ones are deleted with their ids. */
async function clearSuggestions(tx: Tx, updates: { row: RecordRow; update: RecordUpdate }[]): Promise<void> {
  const nos = updates.filter(({ update }) => update.suggestions != null).map(({ row }) => row.no)
  await deleteSuggestions(tx, await listSuggestionsOf(tx, nos))
}
