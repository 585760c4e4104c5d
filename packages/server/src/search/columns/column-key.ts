/** Determines the columns that a search or a count reads, so that they can be loaded before it runs. */
import type { Id } from '@postil/domain/schema'
import { type CountQuery, toQueueFilters } from '@postil/domain/search/counts'
import type { Existing, Filter, RecordProperty, SearchQuery, Sort, SuggestionProperty } from '@postil/domain/search/query'

type Comparison = 'keyword' | 'number'

/** Identifies a column by its content. A `present` column records which records or responses have a value, but not the value. */
export type ColumnKey =
  | { kind: 'record'; property: RecordProperty | 'shuffle' }
  | { kind: 'metadata'; propertyId: Id; as: Comparison }
  | { kind: 'suggestion'; questionId: Id; property: SuggestionProperty; as: Comparison }
  | { kind: 'suggestion'; questionId: Id; property: 'present' }
  /** Users who responded, with the status of each response. Columns of answers are indexed by its slots. */
  | { kind: 'responses' }
  | { kind: 'response'; questionId: Id; property: 'value'; as: Comparison }
  | { kind: 'response'; questionId: Id; property: 'present' }
  | { kind: 'flags' }

export type SortTarget = Sort['target']

const RESPONSES: ColumnKey = { kind: 'responses' }
export const RECORD_ID: ColumnKey = { kind: 'record', property: 'id' }

/** A unique name for each key, used as the key of maps. */
export function nameOf(key: ColumnKey): string {
  switch (key.kind) {
    case 'record':
      return `record ${key.property}`
    case 'metadata':
      return `metadata ${key.propertyId}`
    case 'suggestion':
    case 'response':
      return `${key.kind} ${key.questionId} ${key.property}`
    default:
      return key.kind
  }
}

export function targetKey(target: SortTarget): ColumnKey {
  switch (target.kind) {
    case 'record':
      return { kind: 'record', property: target.property }
    case 'metadata':
      return { kind: 'metadata', propertyId: target.propertyId, as: target.as }
    case 'suggestion':
      return { kind: 'suggestion', questionId: target.questionId, property: target.property, as: target.as }
    case 'response':
      return { kind: 'response', questionId: target.questionId, property: 'value', as: target.as }
    case 'response_status':
      return RESPONSES
  }
}

export function existingKeys(of: Existing): ColumnKey[] {
  switch (of.kind) {
    case 'metadata':
      return [{ kind: 'metadata', propertyId: of.propertyId, as: of.as }]
    case 'suggestion':
      return of.questionIds.map(questionId => ({ kind: 'suggestion', questionId, property: 'present' }))
    case 'response':
      return [{ kind: 'response', questionId: of.questionId, property: 'present' }]
    case 'flag':
      return [{ kind: 'flags' }]
  }
}

function filterKeys(filter: Filter): ColumnKey[] {
  if (filter.kind === 'nothing') return []
  if (filter.kind === 'response_status') return [RESPONSES]
  return filter.kind === 'exists' ? existingKeys(filter.of) : [targetKey(filter.target)]
}

/** The columns that a search needs, except for text and similarity, in the order in which they must be loaded. */
export function searchKeys({ filters, sort, shuffleFor }: SearchQuery): ColumnKey[] {
  const shuffle: ColumnKey[] = shuffleFor === null ? [] : [{ kind: 'record', property: 'shuffle' }]
  const ids = sort.length === 0 ? [] : [RECORD_ID]
  return inLoadingOrder([...shuffle, ...ids, ...filters.flatMap(filterKeys), ...sort.map(({ target }) => targetKey(target))])
}

/** The columns that a count needs, in the order in which they must be loaded. */
export function countKeys({ filters, queue, queues, targets }: CountQuery): ColumnKey[] {
  const byQueue = [queue, ...queues].flatMap(toQueueFilters)
  const narrowed = [...byQueue, ...filters, ...targets.flatMap(target => target.filters)]
  const counted = targets.map(({ target }) => targetKey(target))
  return inLoadingOrder([...narrowed.flatMap(filterKeys), ...counted])
}

/** Removes duplicate keys. Responses are loaded first, because answers are indexed by their slots. */
function inLoadingOrder(keys: readonly ColumnKey[]): ColumnKey[] {
  const responses = keys.some(({ kind }) => kind === 'response') ? [RESPONSES] : []
  return [...new Map([...responses, ...keys].map(key => [nameOf(key), key])).values()]
}
