/** Criteria of a similarity search. */
import type { Api } from '../../../../api.ts'
import type { Criteria, Similarity } from '../query/criteria.ts'
import { toSearchBody } from '../query/search-body.ts'

export const LIMITS = [10, 50, 100, 200] as const
const LIMIT_DEFAULT = 50

/** Keeps the limit of the current similarity search. */
export const likeThis = (
  criteria: Criteria,
  recordId: string,
  vector: string,
  order: Similarity['order'] = 'most',
): Criteria => ({
  ...criteria,
  similarity: { recordId, vector, order, limit: criteria.similarity?.limit ?? LIMIT_DEFAULT },
})

/** Throws if the record does not have this vector, before the page leaves the record. */
export async function checkComparable(api: Api, datasetId: string, criteria: Criteria): Promise<void> {
  await api.searchMyRecords({ params: { dataset_id: datasetId }, query: { limit: 1 }, body: toSearchBody(criteria) })
}
