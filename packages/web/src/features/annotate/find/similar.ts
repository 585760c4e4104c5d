/** Looking for records like one. */
import type { Api } from '../../../api.ts'
import type { Criteria, Similarity } from './criteria.ts'
import { toSearchBody } from './search-body.ts'

export const LIMITS = [10, 50, 100, 200] as const
const LIMIT_DEFAULT = 50

/** A comparison that is already on keeps its number of results. */
export const likeThis = (
  criteria: Criteria,
  recordId: string,
  vector: string,
  order: Similarity['order'] = 'most',
): Criteria => ({
  ...criteria,
  similarity: { recordId, vector, order, limit: criteria.similarity?.limit ?? LIMIT_DEFAULT },
})

/** Throws before the page turns away from the record in hand: it may have no such vector. */
export async function checkComparable(api: Api, datasetId: string, criteria: Criteria): Promise<void> {
  await api.searchMyRecords({ params: { dataset_id: datasetId }, query: { limit: 1 }, body: toSearchBody(criteria) })
}
