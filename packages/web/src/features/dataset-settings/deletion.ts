/** Search query for the records to delete. */
import type { SearchBody } from '@postil/domain/search/query'
import type { AnyCriteria, SearchFilter } from '../annotate/find/query/criteria.ts'
import { toFilters } from '../annotate/find/query/search-body.ts'

export const STATUS_CHOICES = ['any', 'pending', 'completed'] as const
export type RecordStatusChoice = (typeof STATUS_CHOICES)[number]

export const ALL_RECORDS: AnyCriteria = { queue: null, search: null, filters: [], sort: [], similarity: null }

export function toDeletionQuery({ search, filters }: AnyCriteria, status: RecordStatusChoice): SearchBody {
  const ofStatus: SearchFilter[] =
    status === 'any' ? [] : [{ type: 'terms', scope: { entity: 'record', property: 'status' }, values: [status] }]
  const and = [...ofStatus, ...filters.flatMap(toFilters)]
  return {
    ...(search ? { query: { text: { q: search.text } } } : {}),
    ...(and.length > 0 ? { filters: { and } } : {}),
  }
}
