/** One page of the records that meet the criteria, with my own responses. */
import { api } from '../../../api.ts'
import type { QueuePage } from '../record-queue.ts'
import type { Criteria } from './criteria.ts'
import { toSearchBody } from './search-body.ts'

export async function fetchRecords(
  datasetId: string,
  criteria: Criteria,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<QueuePage> {
  const { similarity, search } = criteria
  // Results of a similarity search are one list of a chosen length.
  const size = similarity ? Math.min(limit, Math.max(0, similarity.limit - offset)) : limit
  if (size === 0) return { items: [], total: similarity?.limit ?? 0 }
  const { items, total } = await api.searchMyRecords(
    {
      params: { dataset_id: datasetId },
      query: { offset, limit: size, include: ['responses', 'suggestions'], highlight: search !== null },
      body: toSearchBody(criteria),
    },
    signal ? { signal } : {},
  )
  return {
    total: similarity ? Math.min(total, similarity.limit) : total,
    items: items.map(({ record, query_score, highlights }) => ({
      record,
      score: query_score,
      highlights: highlights ?? null,
      response: record.responses?.[0] ?? null,
    })),
  }
}
