/** Reads the documents of many records with one query per table and batch. */
import type { ResponseStatus } from '@postil/domain/responses'
import { type SearchDocument, type StoredRecord, type StoredSuggestion, toDocument } from '@postil/domain/search/document'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import { listFlagsOf } from '../../features/notes/store.ts'
import { listRecordsByNumbers, type RecordRow } from '../../features/records/store.ts'
import { listResponsesOf, type ResponseRow } from '../../features/responses/store.ts'
import { listSuggestionsOf, type SuggestionRow } from '../../features/suggestions/store.ts'
import type { Queryable } from '../../storage/database.ts'

const RECORDS_PER_QUERY = 1_000

export interface ReadDocumentsResult {
  /** Documents by record number, without vectors, which are read from their own table. */
  documents: Map<number, SearchDocument>
  /** Numbers of records that do not exist. */
  deleted: number[]
}

export async function readDocuments(
  db: Queryable,
  settings: DatasetSettings,
  recordNos: readonly number[],
): Promise<ReadDocumentsResult> {
  const documents = new Map<number, SearchDocument>()
  for (let start = 0; start < recordNos.length; start += RECORDS_PER_QUERY) {
    for (const [no, record] of await readRecords(db, settings, recordNos.slice(start, start + RECORDS_PER_QUERY))) {
      documents.set(no, toDocument(record, settings.documents))
    }
  }
  return { documents, deleted: recordNos.filter(no => !documents.has(no)) }
}

async function readRecords(
  db: Queryable,
  settings: DatasetSettings,
  recordNos: readonly number[],
): Promise<[number, StoredRecord][]> {
  const records = await listRecordsByNumbers(db, recordNos)
  const nos = records.map(({ no }) => no)
  const suggestions = Map.groupBy(await listSuggestionsOf(db, nos), row => row.record_no)
  const responses = Map.groupBy(await listResponsesOf(db, nos, null), row => row.record_no)
  const recordIds = records.map(({ id }) => id)
  const flags = Map.groupBy(await listFlagsOf(db, recordIds), flag => flag.record_id)
  return records.map(record => [
    record.no,
    {
      ...toOwn(record),
      suggestions: (suggestions.get(record.no) ?? []).flatMap(row => toSuggestion(settings, row)),
      responses: (responses.get(record.no) ?? []).map(toResponse),
      flags: (flags.get(record.id) ?? []).map(({ user_id }) => user_id),
    },
  ])
}

function toOwn({ id, external_id, status, inserted_at, updated_at, fields, metadata }: RecordRow) {
  const parsed = { fields: JSON.parse(fields), metadata: metadata === null ? null : JSON.parse(metadata) }
  return { id, external_id, status, inserted_at, updated_at, ...parsed }
}

/** Returns an empty list if the question was deleted. */
function toSuggestion({ names }: DatasetSettings, row: SuggestionRow): StoredSuggestion[] {
  const { question_no, value, score, agent, type } = row
  const question_id = names.questionIds.get(question_no)
  if (question_id === undefined) return []
  return [{ question_id, value: JSON.parse(value), score: score === null ? null : JSON.parse(score), agent, type }]
}

function toResponse({ user_id, status, values }: ResponseRow) {
  // The column contains only values of `ResponseStatus`.
  return { user_id, status: status as ResponseStatus, values: JSON.parse(values) }
}
