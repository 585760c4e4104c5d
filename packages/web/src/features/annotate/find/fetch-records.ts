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
  // The server counts a comparison no further than it was asked for: its one list is taken whole and cut here.
  const asked = similarity ? { offset: 0, limit: similarity.limit } : { offset, limit }
  const { items, total } = await api.searchMyRecords(
    {
      params: { dataset_id: datasetId },
      query: { ...asked, include: ['responses', 'suggestions'], highlight: search !== null },
      body: toSearchBody(criteria),
    },
    signal ? { signal } : {},
  )
  const page = similarity ? items.slice(offset, offset + limit) : items
  return {
    total: similarity ? items.length : total,
    items: page.map(({ record, query_score, highlights }) => ({
      record,
      score: toScore(query_score, similarity),
      highlights: highlights ?? null,
      response: record.responses?.[0] ?? null,
    })),
  }
}

/** The least similar are found as the nearest to the opposite; shown is how near they are to the record itself. */
const toScore = (score: number | null, similarity: Criteria['similarity']) =>
  score !== null && similarity?.order === 'least' ? 1 - score : score
