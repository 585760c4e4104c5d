/** Everything by which a record is found, made anew from what is stored: for rebuilding the index and for checking it. */

import type { AnswerValue } from '@postil/domain/questions/answer-value'
import type { RecordFields, RecordMetadata } from '@postil/domain/records'
import type { ResponseValues } from '@postil/domain/responses'
import type { TextDocument } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import { listResponsesOf, type ResponseTerm } from '../responses/store.ts'
import { listSuggestionsOf, type SuggestionTerm } from '../suggestions/store.ts'
import type { MetadataValue } from './metadata-store.ts'
import { toMetadataValues, toResponseTerms, toSuggestionTerms, toTextDocument } from './rows.ts'
import { listRecordsAfter, type RecordRow } from './store.ts'

export interface IndexRows {
  records: RecordRow[]
  texts: TextDocument[]
  metadata: MetadataValue[]
  suggestionTerms: SuggestionTerm[]
  responseTerms: ResponseTerm[]
}

const BATCH = 1_000

/** Walks all records of a dataset, batch by batch. */
export async function* iterateIndexRows(db: Queryable, datasetId: string, settings: DatasetSettings): AsyncGenerator<IndexRows> {
  let after = 0
  while (true) {
    const records = await listRecordsAfter(db, datasetId, after, BATCH)
    const last = records.at(-1)
    if (!last) return
    after = last.no
    yield { records, ...(await toIndexRows(db, settings, records)) }
  }
}

async function toIndexRows(
  db: Queryable,
  settings: DatasetSettings,
  records: readonly RecordRow[],
): Promise<Omit<IndexRows, 'records'>> {
  return {
    texts: records.map(record => toTextDocument(settings, JSON.parse(record.fields) as RecordFields, record.no)),
    metadata: records.flatMap(record =>
      toMetadataValues(settings, record.metadata === null ? null : (JSON.parse(record.metadata) as RecordMetadata), record.no),
    ),
    ...(await toAnswerTerms(
      db,
      settings,
      records.map(record => record.no),
    )),
  }
}

/** What stored suggestions and responses are found by. */
export async function toAnswerTerms(
  db: Queryable,
  settings: DatasetSettings,
  recordNos: readonly number[],
): Promise<Pick<IndexRows, 'suggestionTerms' | 'responseTerms'>> {
  const suggestions = await listSuggestionsOf(db, recordNos)
  const responses = await listResponsesOf(db, recordNos, null)
  return {
    suggestionTerms: suggestions.flatMap(({ question_no, record_no, value }) => {
      const questionId = settings.names.questionIds.get(question_no) ?? ''
      return toSuggestionTerms(settings, { question_id: questionId, value: JSON.parse(value) as AnswerValue }, record_no)
    }),
    responseTerms: responses.flatMap(row =>
      toResponseTerms(settings, JSON.parse(row.values) as ResponseValues, row.user_id, row.record_no),
    ),
  }
}
