/**
 * Replaces a label in responses and suggestions, or removes it from them, in batches of records.
 *
 * The label is no longer an option when the job starts, so nothing new can contain it and one pass over the records is
 * sufficient. A batch that runs twice finds nothing left to change. Responses are written with history and events, like a change
 * by their authors.
 */
import type { Question } from '@postil/domain/questions'
import { keptScores, type LabelReplacement, type LabelRules } from '@postil/domain/questions/labels'
import type { ResponseStatus, ResponseValues } from '@postil/domain/responses'
import type { Id, Json } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { JobStep } from '../../jobs/all.ts'
import { type Tx, write } from '../../storage/write.ts'
import { listRecordIds } from '../bulk-jobs/store.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { findLockedDataset, type StoredDataset } from '../datasets/store.ts'
import { listRecordsToChange, type RecordRow } from '../records/store.ts'
import { changeResponses, type ResponseChange } from '../responses/change.ts'
import { listResponsesOf, type ResponseRow } from '../responses/store.ts'
import { logSuggestions } from '../suggestions/log.ts'
import { deleteSuggestions, insertSuggestions, listSuggestionsOf, type SuggestionRow } from '../suggestions/store.ts'
import { listNextRecordNos, listResponsesWith, listSuggestionsWith } from './label-store.ts'
import { labelsOf } from './labels.ts'

/** Records per batch: takes a few milliseconds if few contain the label, some tens of milliseconds if all do. */
const BATCH_MAX = 200

interface Progress {
  dataset_id: Id
  question_id: Id
  /** User who started the job. */
  actor_id: Id
  from: string
  to: string | null
  /** Records up to this number are done. */
  after: number
  done: number
  total: number
}

interface Piece {
  ctx: Context
  tx: Tx
  dataset: StoredDataset
  question: Question & { no: number }
  rules: LabelRules
  progress: Progress
  records: RecordRow[]
}

export const migrateLabel: JobStep<Progress> = (ctx, progress) =>
  write(ctx, async tx => {
    tx.actorId = progress.actor_id
    const { dataset_id, question_id, from, after } = progress
    const dataset = await findLockedDataset(tx, dataset_id)
    if (!dataset) return null
    const { questions } = await loadDatasetSettings(tx, dataset)
    const question = questions.find(({ id }) => id === question_id)
    if (!question) return null

    const nos = await listNextRecordNos(tx, dataset_id, { after, limit: BATCH_MAX })
    const found = [...(await listResponsesWith(tx, nos, from)), ...(await listSuggestionsWith(tx, nos, question.no, from))]
    const ids = await listRecordIds(tx, [...new Set(found.map(({ record_no }) => record_no))])
    const records = await listRecordsToChange(tx, dataset_id, ids)
    const piece: Piece = { ctx, tx, dataset, question, rules: labelsOf(question).rules, progress, records }
    await replaceInResponses(piece)
    await replaceInSuggestions(piece)

    const last = nos.at(-1)
    const done = progress.done + nos.length
    return last !== undefined && nos.length === BATCH_MAX
      ? { ...progress, after: last, done, total: Math.max(done, progress.total) }
      : null
  })

const nosOf = (records: readonly RecordRow[]) => records.map(({ no }) => no)

async function replaceInResponses(piece: Piece): Promise<void> {
  const { ctx, tx, dataset, records } = piece
  const byNo = new Map(records.map(record => [record.no, record]))
  const responses = await listResponsesOf(tx, nosOf(records), null)
  for (const [userId, ofUser] of Map.groupBy(responses, ({ user_id }) => user_id)) {
    const changes = ofUser.flatMap((before): ResponseChange[] => {
      const record = byNo.get(before.record_no)
      const after = toResponse(piece, before)
      return record && after ? [{ record, before, after }] : []
    })
    if (changes.length > 0) await changeResponses(ctx, tx, { dataset, userId, jobId: null }, changes)
  }
}

/**
 * Returns the response without the label, or null if it does not contain it. A submitted response that lacks a required answer as
 * a result, or has no answers left, becomes a draft, so that its author can answer again.
 */
function toResponse({ question, rules, progress }: Piece, { values: text, status }: ResponseRow) {
  const values = JSON.parse(text) as ResponseValues
  const answer = Object.hasOwn(values, question.name) ? values[question.name] : undefined
  const replaced = answer && rules.replace(answer.value, progress.from, progress.to)
  if (!replaced) return null
  const { [question.name]: _answer, ...others } = values
  if (replaced.value !== null) {
    return { status: status as ResponseStatus, values: { ...values, [question.name]: { value: replaced.value } } }
  }
  const isIncomplete = question.required || Object.keys(others).length === 0
  const kept = status === 'submitted' && isIncomplete ? 'draft' : (status as ResponseStatus)
  return { status: kept, values: others }
}

async function replaceInSuggestions({ ctx, tx, dataset, question, rules, progress, records }: Piece): Promise<void> {
  const rows = await listSuggestionsOf(tx, nosOf(records))
  const changed: SuggestionRow[] = []
  const emptied: SuggestionRow[] = []
  for (const row of rows) {
    if (row.question_no !== question.no) continue
    const replaced = rules.replace(JSON.parse(row.value) as Json, progress.from, progress.to)
    if (!replaced) continue
    if (isEmpty(replaced.value)) emptied.push(row)
    else changed.push({ ...row, ...toScores(row, replaced), value: JSON.stringify(replaced.value), updated_at: ctx.now() })
  }
  await insertSuggestions(tx, changed, { overwrite: true })
  await deleteSuggestions(tx, emptied)
  logSuggestions(tx, 'suggestion.updated', dataset.id, changed)
  logSuggestions(tx, 'suggestion.deleted', dataset.id, emptied)
}

/**
 * A suggestion without remaining values is deleted. This includes spans, because an empty list would suggest that there are none.
 */
const isEmpty = (value: Json | null): boolean => value === null || (Array.isArray(value) && value.length === 0)

function toScores(row: SuggestionRow, replaced: LabelReplacement) {
  const score = keptScores(row.score === null ? null : (JSON.parse(row.score) as number | number[]), replaced)
  if (!Array.isArray(score)) return {}
  return { score: JSON.stringify(score), score_min: Math.min(...score), score_max: Math.max(...score) }
}
