/** The queues of an annotator as search filters. */
import type { SearchBody } from './query.ts'

export const QUEUES = ['pending', 'draft', 'discarded', 'submitted'] as const
export type Queue = (typeof QUEUES)[number]

type SearchFilter = NonNullable<NonNullable<SearchBody['filters']>['and']>[number]
type SortEntry = NonNullable<SearchBody['sort']>[number]

/**
 * Returns the same filters as on the server. Pending means that the caller has not answered and the team has not completed the
 * record.
 */
export function queueFilters(queue: Queue): SearchFilter[] {
  const mine: SearchFilter = { type: 'terms', scope: { entity: 'response', property: 'status' }, values: [queue] }
  const open: SearchFilter = { type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['pending'] }
  return queue === 'pending' ? [mine, open] : [mine]
}

/** Order of insertion, so that positions are stable. */
export const OLDEST_FIRST: SortEntry = { scope: { entity: 'record', property: 'inserted_at' }, order: 'asc' }
