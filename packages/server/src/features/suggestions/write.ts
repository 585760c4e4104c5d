import { allow, notUnique } from '@postil/domain/errors'
import { parseIds } from '@postil/domain/ids'
import { canReadRecord, canWriteSuggestions } from '@postil/domain/permissions'
import type { RecordFields } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import { checkSuggestion, type Suggestion, type SuggestionCreate } from '@postil/domain/suggestions'
import type { RequestContext } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import { WithStatus } from '../../lib/answer.ts'
import { type Tx, write } from '../../storage/write.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDatasetOf } from '../datasets/store.ts'
import { toSuggestion } from '../records/record-json.ts'
import { toSuggestionContent, toSuggestionRow } from '../records/rows.ts'
import { loadRecord, loadRecordToChange } from '../records/store.ts'
import {
  deleteSuggestions as deleteRows,
  findSuggestion,
  insertSuggestions,
  listSuggestionsOf,
  loadSuggestion,
  type SuggestionRow,
} from './store.ts'

export function listSuggestions(ctx: RequestContext, recordId: string): Promise<{ items: Suggestion[] }> {
  return ctx.db.snapshot(async db => {
    const record = await loadRecord(db, recordId)
    const dataset = await loadDatasetOf(db, record)
    allow(canReadRecord(ctx.actor, dataset))
    const { names } = await loadDatasetSettings(db, dataset)
    const rows = await listSuggestionsOf(db, [record.no])
    return { items: rows.map(row => toSuggestion(row, names)) }
  })
}

/** Suggests an answer. With `replace`, one suggested before is overwritten and keeps its id; without, it is in the way. */
export function putSuggestion(
  ctx: RequestContext,
  recordId: string,
  suggestion: SuggestionCreate,
  { replace }: { replace: boolean },
): Promise<WithStatus> {
  return write(ctx, async tx => {
    const record = await loadRecordToChange(tx, recordId)
    const dataset = await loadDatasetOf(tx, record)
    allow(canWriteSuggestions(ctx.actor, dataset))
    const settings = await loadDatasetSettings(tx, dataset)
    checkSuggestion(suggestion, settings.rules, JSON.parse(record.fields) as RecordFields)

    const given = toSuggestionRow(toSuggestionContent(settings, suggestion), {
      id: ctx.newId(),
      now: ctx.now(),
      recordNo: record.no,
    })
    const before = await findSuggestion(tx, record.no, given.question_no)
    if (before && !replace) throw notUnique('The record has a suggestion for this question already')
    const row = before ? { ...given, id: before.id, inserted_at: before.inserted_at } : given
    await insertSuggestions(tx, [row], { overwrite: true })
    logSuggestions(tx, 'suggestion.updated', dataset.id, [row])
    return new WithStatus(before ? 200 : 201, toSuggestion(row, settings.names))
  })
}

/** Deletes up to 100 suggestions of a record; ids of others are passed over. */
export function deleteSuggestions(ctx: RequestContext, recordId: string, ids: string): Promise<undefined> {
  return write(ctx, async tx => {
    const record = await loadRecord(tx, recordId)
    const dataset = await loadDatasetOf(tx, record)
    allow(canWriteSuggestions(ctx.actor, dataset))
    const wanted = new Set(parseIds(ids))
    const rows = (await listSuggestionsOf(tx, [record.no])).filter(row => wanted.has(row.id))
    await deleteRows(tx, rows)
    logSuggestions(tx, 'suggestion.deleted', dataset.id, rows)
    return undefined
  })
}

export function deleteSuggestion(ctx: RequestContext, suggestionId: string): Promise<Suggestion> {
  return write(ctx, async tx => {
    const row = await loadSuggestion(tx, suggestionId)
    const dataset = await loadDatasetOf(tx, await loadRecord(tx, row.record_id))
    allow(canWriteSuggestions(ctx.actor, dataset))
    const { names } = await loadDatasetSettings(tx, dataset)
    await deleteRows(tx, [row])
    logSuggestions(tx, 'suggestion.deleted', dataset.id, [row])
    return toSuggestion(row, names)
  })
}

function logSuggestions(
  tx: Tx,
  name: 'suggestion.updated' | 'suggestion.deleted',
  dataset_id: Id,
  rows: readonly SuggestionRow[],
): void {
  if (rows.length === 0) return
  const details = { suggestion_ids: rows.map(row => row.id) }
  logChange(tx, { name, dataset_id, recordNos: rows.map(row => row.record_no), details })
}
