import { allow, notUnique } from '@postil/domain/errors'
import { parseIds } from '@postil/domain/ids'
import { canReadRecord, canWriteSuggestions } from '@postil/domain/permissions'
import type { RecordFields } from '@postil/domain/records'
import { checkSuggestion, type Suggestion, type SuggestionCreate } from '@postil/domain/suggestions'
import type { RequestContext } from '../../context.ts'
import { WithStatus } from '../../lib/answer.ts'
import { write } from '../../storage/write.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDatasetOf, loadLockedDatasetOf } from '../datasets/store.ts'
import { toSuggestion } from '../records/record-json.ts'
import { toSuggestionContent, toSuggestionRow } from '../records/rows.ts'
import { loadRecord, loadRecordToChange } from '../records/store.ts'
import { logSuggestions } from './log.ts'
import { deleteSuggestions as deleteRows, findSuggestion, insertSuggestions, listSuggestionsOf, loadSuggestion } from './store.ts'

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

/**
 * Adds a suggestion. With `replace`, an existing one is overwritten and its id remains; without it, an existing one is a
 * conflict.
 */
export function putSuggestion(
  ctx: RequestContext,
  recordId: string,
  suggestion: SuggestionCreate,
  { replace }: { replace: boolean },
): Promise<WithStatus> {
  return write(ctx, async tx => {
    // Locks the dataset, so that labels cannot change until the suggestion is stored. Both statements are sent together, in this
    // order.
    const [dataset, record] = await Promise.all([loadLockedDatasetOf(tx, recordId), loadRecordToChange(tx, recordId)])
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

/** Deletes up to 100 suggestions of a record. Other ids are skipped. */
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
