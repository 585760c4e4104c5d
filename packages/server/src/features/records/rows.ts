/** Checked input -> the rows that store it, and the text by which it is found. */

import type { RecordFields } from '@postil/domain/records'
import { type ResponseStatus, type ResponseValues, toResponseValues } from '@postil/domain/responses'
import { textPieces } from '@postil/domain/search/document'
import type { SuggestionCreate } from '@postil/domain/suggestions'
import type { RecordVectors } from '@postil/domain/vectors'
import type { TextDocument } from '../../search/engine.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { ResponseRow } from '../responses/store.ts'
import type { SuggestionRow } from '../suggestions/store.ts'
import type { VectorRow } from '../vectors/store.ts'

interface Fresh {
  id: string
  now: string
  recordNo: number
}

export function toSuggestionRow(
  settings: DatasetSettings,
  suggestion: SuggestionCreate,
  { id, now, recordNo }: Fresh,
): SuggestionRow {
  const { type = null, agent = null, score = null } = suggestion
  const scores = score === null ? [] : [score].flat()
  return {
    id,
    record_no: recordNo,
    question_no: settings.questionNos.get(suggestion.question_id) as number,
    type,
    value: JSON.stringify(suggestion.value),
    score: score === null ? null : JSON.stringify(score),
    score_min: scores.length === 0 ? null : Math.min(...scores),
    score_max: scores.length === 0 ? null : Math.max(...scores),
    agent,
    inserted_at: now,
    updated_at: now,
  }
}

interface GivenResponse {
  status: ResponseStatus
  values?: ResponseValues | null | undefined
}

export function toResponseRow(
  datasetId: string,
  userId: string,
  response: GivenResponse,
  { id, now, recordNo }: Fresh,
): ResponseRow {
  return {
    id,
    record_no: recordNo,
    dataset_id: datasetId,
    user_id: userId,
    status: response.status,
    values: JSON.stringify(toResponseValues(response)),
    inserted_at: now,
    updated_at: now,
  }
}

export function toVectorRows(
  settings: DatasetSettings,
  vectors: RecordVectors | null | undefined,
  recordNo: number,
): VectorRow[] {
  if (vectors == null) return []
  return Object.entries(vectors).map(([name, value]) => ({
    record_no: recordNo,
    vectors_settings_no: settings.vectorNos.get(name) as number,
    value,
  }))
}

export function toTextDocument(settings: DatasetSettings, fields: RecordFields, recordNo: number): TextDocument {
  return { recordNo, pieces: settings.documents.textFields.map(field => textPieces(fields, field)) }
}
