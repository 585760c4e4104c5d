/** Converts validated input to rows and to the indexed text. */

import type { RecordFields } from '@postil/domain/records'
import { type ResponseStatus, type ResponseValues, toResponseValues } from '@postil/domain/responses'
import { textPieces } from '@postil/domain/search/document'
import type { SuggestionCreate } from '@postil/domain/suggestions'
import type { RecordVectors } from '@postil/domain/vectors'
import { toNumbersText } from '../../lib/vector-texts.ts'
import type { TextDocument } from '../../search/engine.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { ResponseRow } from '../responses/store.ts'
import type { SuggestionRow } from '../suggestions/store.ts'
import { toFloats } from '../vectors/store.ts'

/** Values that the writer assigns to a row. */
interface AssignedValues {
  id: string
  now: string
  recordNo: number
}

export type SuggestionContent = Omit<SuggestionRow, 'id' | 'record_no' | 'inserted_at' | 'updated_at'>
export type ResponseContent = Pick<ResponseRow, 'user_id' | 'status' | 'values'>

export interface VectorContent {
  vectors_settings_no: number
  value: Float64Array
  /** JSON as sent by the client. */
  text: string
}

export function toSuggestionContent(settings: DatasetSettings, suggestion: SuggestionCreate): SuggestionContent {
  const { type = null, agent = null, score = null } = suggestion
  const scores = score === null ? [] : [score].flat()
  return {
    question_no: settings.questionNos.get(suggestion.question_id) as number,
    type,
    value: JSON.stringify(suggestion.value),
    score: score === null ? null : JSON.stringify(score),
    score_min: scores.length === 0 ? null : Math.min(...scores),
    score_max: scores.length === 0 ? null : Math.max(...scores),
    agent,
  }
}

export const toSuggestionRow = (content: SuggestionContent, { id, now, recordNo }: AssignedValues): SuggestionRow => ({
  id,
  record_no: recordNo,
  question_no: content.question_no,
  type: content.type,
  value: content.value,
  score: content.score,
  score_min: content.score_min,
  score_max: content.score_max,
  agent: content.agent,
  inserted_at: now,
  updated_at: now,
})

interface NewResponse {
  user_id: string
  status: ResponseStatus
  values?: ResponseValues | null | undefined
}

export const toResponseContent = (response: NewResponse): ResponseContent => ({
  user_id: response.user_id,
  status: response.status,
  values: JSON.stringify(toResponseValues(response)),
})

export const toResponseRow = (content: ResponseContent, { id, now, recordNo }: AssignedValues): ResponseRow => ({
  id,
  record_no: recordNo,
  user_id: content.user_id,
  status: content.status,
  values: content.values,
  inserted_at: now,
  updated_at: now,
})

export function toVectorContents(settings: DatasetSettings, vectors: RecordVectors | null | undefined): VectorContent[] {
  if (vectors == null) return []
  return Object.entries(vectors).map(([name, value]) => ({
    vectors_settings_no: settings.vectorNos.get(name) as number,
    value: toFloats(value),
    text: toNumbersText(value),
  }))
}

/** Entries are null if there are no fields. */
export const toTextPieces = ({ documents }: DatasetSettings, fields: RecordFields | null): TextDocument['pieces'] =>
  documents.textFields.map(field => fields && textPieces(fields, field))
