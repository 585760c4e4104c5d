import type { ResponseStatus } from '../responses.ts'
import type { Id, Timestamp } from '../schema.ts'

/** What filters and sorts compare: texts for keyword targets, numbers for number targets. */
export type SearchValue = string | number

/** What an engine knows of a record. Keyed by id where there is one: names change and may be `constructor`. */
export interface SearchDocument {
  id: Id
  external_id: string | null
  status: string
  /** Always with six digits of fraction, so that text order is time order. */
  inserted_at: Timestamp
  updated_at: Timestamp
  /** Pieces of text by field name. */
  text: Map<string, string[]>
  /** Values by metadata property id; a list of terms has several. */
  metadata: Map<Id, SearchValue[]>
  /** By question id. */
  suggestions: Map<Id, SearchSuggestion>
  responses: SearchResponse[]
  /** Ids of the users who flagged it. */
  flags: Id[]
  /** By vector settings id. */
  vectors: Map<Id, number[]>
}

export interface SearchSuggestion {
  values: SearchValue[]
  /** One score, or one for each value. */
  scores: number[]
  agent: string | null
  type: string | null
}

export interface SearchResponse {
  user_id: Id
  status: ResponseStatus
  /** By question id. */
  values: Map<Id, SearchValue[]>
}
