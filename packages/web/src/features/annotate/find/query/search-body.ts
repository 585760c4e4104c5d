/** Converts criteria to the body of a search request. */
import type { SearchBody } from '@postil/domain/search/query'
import { OLDEST_FIRST } from '@postil/domain/search/queues'
import { toTimes } from '../../../../i18n/days.ts'
import { currentTimeZone } from '../../../../i18n/i18n.ts'
import { type Criteria, type CriteriaFilter, queueFilters, type SearchFilter, type SortKey } from './criteria.ts'

export function toSearchBody({ queue, search, filters, sort, similarity }: Criteria): SearchBody {
  const vector = similarity && {
    name: similarity.vector,
    record_id: similarity.recordId,
    order: similarity.order === 'least' ? ('least_similar' as const) : ('most_similar' as const),
  }
  const text = search && { q: search.text, ...(search.field === null ? {} : { field: search.field }) }
  return {
    ...(text || vector ? { query: { ...(text ? { text } : {}), ...(vector ? { vector } : {}) } } : {}),
    filters: { and: [...queueFilters(queue), ...filters.flatMap(toFilters)] },
    // By default records are sorted by time of creation, so that positions stay stable. A search sorts by relevance.
    ...(similarity || (text && sort.length === 0) ? {} : { sort: sort.length > 0 ? sort.map(toSort) : [OLDEST_FIRST] }),
  }
}

/**
 * Returns the search for an export, over all queues; null if there is no search or filter. A similarity search is not exported.
 */
export function toExportSearch({ search, filters, sort }: Criteria): SearchBody | null {
  if (search === null && filters.length === 0) return null
  const { query, sort: order } = toSearchBody({ queue: 'pending', search, filters, sort, similarity: null })
  return {
    ...(query && { query }),
    ...(filters.length > 0 && { filters: { and: filters.flatMap(toFilters) } }),
    ...(order && { sort: order }),
  }
}

type SortEntry = NonNullable<SearchBody['sort']>[number]
type Scope = SortEntry['scope']

const toSort = (key: SortKey): SortEntry => ({ scope: toScope(key.of, key.name, key.property), order: key.order })

function toScope(of: SortKey['of'], name: string, property: 'value' | 'score' | 'agent'): Scope {
  switch (of) {
    case 'metadata':
      return { entity: 'metadata', metadata_property: name }
    case 'suggestion':
      return { entity: 'suggestion', question: name, property }
    case 'response':
      return { entity: 'response', question: name }
    case 'record':
      return { entity: 'record', property: name === 'updated_at' ? 'updated_at' : 'inserted_at' }
  }
}

export function toFilters({ target, value }: CriteriaFilter): SearchFilter[] {
  if (value.kind === 'exists') return [{ type: 'exists', scope: existsScope(target), exists: value.exists }]
  if (target.name === null) return []
  const scope = toScope(target.of, target.name, target.property)
  if (value.kind === 'terms')
    return value.isAll
      ? value.values.map(one => ({ type: 'terms', scope, values: [one] }))
      : [{ type: 'terms', scope, values: value.values }]
  const { from, to } = value.kind === 'dates' ? toTimes(value, currentTimeZone()) : value
  return from === null && to === null ? [] : [{ type: 'range', scope, ge: from, le: to }]
}

function existsScope({ of, name }: CriteriaFilter['target']): Extract<SearchFilter, { type: 'exists' }>['scope'] {
  if (of === 'metadata') return { entity: 'metadata', metadata_property: name ?? '' }
  if (of === 'record') return { entity: 'record', property: 'flag' }
  return { entity: of, ...(name === null ? {} : { question: name }) }
}
