/** Which records are shown, in which order: what the tool row edits, the address keeps and the server is asked for. */
import type { SearchBody } from '@postil/domain/search/query'

export const QUEUES = ['pending', 'draft', 'discarded', 'submitted'] as const
export type Queue = (typeof QUEUES)[number]

export type FilterValue =
  | { kind: 'terms'; values: string[] /** All of them instead of any. */; isAll?: boolean }
  | { kind: 'range'; from: number | null; to: number | null }
  | { kind: 'dates'; from: string | null; to: string | null }
  | { kind: 'exists'; exists: boolean }

/** What a filter looks at: `{of: 'suggestion', name: 'topic', property: 'score'}`. */
export interface FilterTarget {
  of: 'metadata' | 'response' | 'suggestion' | 'record'
  /** Of the property or question; of the record's own property for `record`. Null: any question. */
  name: string | null
  property: 'value' | 'score' | 'agent'
}

export interface CriteriaFilter {
  target: FilterTarget
  value: FilterValue
}

export interface SortKey {
  of: 'metadata' | 'response' | 'suggestion' | 'record'
  name: string
  property: 'value' | 'score'
  order: 'asc' | 'desc'
}

export interface Similarity {
  recordId: string
  vector: string
  limit: number
  order: 'most' | 'least'
}

export interface Criteria {
  queue: Queue
  search: { text: string; field: string | null } | null
  filters: readonly CriteriaFilter[]
  sort: readonly SortKey[]
  similarity: Similarity | null
}

export type SearchFilter = NonNullable<NonNullable<SearchBody['filters']>['and']>[number]

/** The queue as the server knows it: pending means that neither I have answered nor the team is done. */
export function queueFilters(queue: Queue): SearchFilter[] {
  const mine: SearchFilter = { type: 'terms', scope: { entity: 'response', property: 'status' }, values: [queue] }
  const open: SearchFilter = { type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['pending'] }
  return queue === 'pending' ? [mine, open] : [mine]
}
