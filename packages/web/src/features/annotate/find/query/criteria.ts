/**
 * Which records are shown and in which order. The tool row edits the criteria, the URL stores them, and the search request sends
 * them.
 */
import type { SearchBody } from '@postil/domain/search/query'
import type { Queue } from '@postil/domain/search/queues'

export { QUEUES, type Queue, queueFilters } from '@postil/domain/search/queues'

export type FilterValue =
  | { kind: 'terms'; values: string[] /** All of the values instead of any. */; isAll?: boolean }
  | { kind: 'range'; from: number | null; to: number | null }
  | { kind: 'dates'; from: string | null; to: string | null }
  | { kind: 'exists'; exists: boolean }

/** Target of a filter: `{of: 'suggestion', name: 'topic', property: 'score'}`. */
export interface FilterTarget {
  of: 'metadata' | 'response' | 'suggestion' | 'record'
  /** Name of the metadata property or question, or for `record` of the record's own property. Null for any question. */
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

/** Criteria over all queues, if `queue` is null. */
export type AnyCriteria = Omit<Criteria, 'queue'> & { queue: Queue | null }

export type SearchFilter = NonNullable<NonNullable<SearchBody['filters']>['and']>[number]
