/**
 * Builds the JSON of records from stored JSON, so that a page of a hundred records is written without parsing any of them. Only
 * this module defines the API representation of a record and its relations.
 */
import type { RecordResponse } from '@postil/domain/responses'
import type { Suggestion } from '@postil/domain/suggestions'
import type { WireNames } from '../datasets/settings.ts'
import type { ResponseRow } from '../responses/store.ts'
import type { SuggestionRow } from '../suggestions/store.ts'
import type { VectorRow } from '../vectors/store.ts'
import type { VectorContent } from './rows.ts'
import type { RecordRow } from './store.ts'

/** Relations of a record in a response. A relation that was not requested is undefined, and its key is absent. */
export interface Relations {
  responses?: readonly ResponseRow[] | undefined
  suggestions?: readonly SuggestionRow[] | undefined
  vectors?: readonly (VectorRow | VectorContent)[] | undefined
}

const quote = JSON.stringify

export function recordJson(row: RecordRow, relations: Relations, names: WireNames): string {
  const { responses, suggestions, vectors } = relations
  const related =
    (responses === undefined ? '' : `,"responses":[${responses.map(response => responseJson(response, row.id)).join()}]`) +
    (suggestions === undefined
      ? ''
      : `,"suggestions":[${suggestions.map(suggestion => suggestionJson(suggestion, names)).join()}]`) +
    (vectors === undefined ? '' : `,"vectors":{${vectors.map(vector => vectorJson(vector, names)).join()}}`)
  return (
    `{"id":"${row.id}","status":"${row.status}","fields":${row.fields},"metadata":${metadataJson(row, names)},` +
    `"external_id":${row.external_id === null ? 'null' : quote(row.external_id)}${related},` +
    `"dataset_id":"${row.dataset_id}","inserted_at":"${row.inserted_at}","updated_at":"${row.updated_at}"}`
  )
}

/** Writes float properties as floats: `JSON.stringify` turns 2.0 into `2`, which typed clients parse as an integer. */
const metadataJson = ({ metadata }: RecordRow, { wholeFloats }: WireNames): string =>
  metadata === null ? 'null' : wholeFloats === null ? metadata : metadata.replace(wholeFloats, '.0')

function responseJson(row: ResponseRow, recordId: string): string {
  return (
    `{"id":"${row.id}","values":${row.values},"status":"${row.status}","record_id":"${recordId}","user_id":"${row.user_id}",` +
    `"inserted_at":"${row.inserted_at}","updated_at":"${row.updated_at}"}`
  )
}

function suggestionJson(row: SuggestionRow, names: WireNames): string {
  return (
    `{"id":"${row.id}","question_id":"${names.questionIds.get(row.question_no)}","type":${quote(row.type)},"value":${row.value},` +
    `"score":${row.score ?? 'null'},"agent":${quote(row.agent)},"inserted_at":"${row.inserted_at}","updated_at":"${row.updated_at}"}`
  )
}

const vectorJson = (row: VectorRow | VectorContent, names: WireNames) =>
  `${quote(names.vectorNames.get(row.vectors_settings_no))}:${'text' in row ? row.text : quote(row.value)}`

export const toResponse = (row: ResponseRow, recordId: string): RecordResponse => JSON.parse(responseJson(row, recordId))

export const toSuggestion = (row: SuggestionRow, names: WireNames): Suggestion => JSON.parse(suggestionJson(row, names))
