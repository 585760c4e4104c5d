/** Fetches one page of matching records with the user's own responses. Falls back to cached records without a network. */
import { ConnectionError } from '@postil/client'
import type { ApiContext, Session } from '../../../session/session.ts'
import type { Criteria } from '../find/query/criteria.ts'
import { toSearchBody } from '../find/query/search-body.ts'
import { writeCriteria } from '../find/query/url-state.ts'
import { keptRecordsOf } from './kept-records.ts'
import type { FoundPage } from './kept-window.ts'

const keyOf = (datasetId: string, criteria: Criteria) => `records:${datasetId}:${JSON.stringify(writeCriteria(criteria))}`
const pageKeyOf = (key: string, offset: number, limit: number) => `${key}:${offset}:${limit}`

export const askRecords = (asker: ApiContext, datasetId: string, criteria: Criteria, offset: number, limit: number) =>
  asker.ahead.prefetch(pageKeyOf(keyOf(datasetId, criteria), offset, limit), () =>
    searchRecords(asker, datasetId, criteria, offset, limit),
  )

export async function fetchRecords(
  session: Session,
  datasetId: string,
  criteria: Criteria,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<FoundPage> {
  const key = keyOf(datasetId, criteria)
  try {
    const page = await session.ahead.take(pageKeyOf(key, offset, limit), () =>
      searchRecords(session, datasetId, criteria, offset, limit, signal),
    )
    return { ...page, key, offset, isKept: false }
  } catch (error) {
    const kept = error instanceof ConnectionError ? await keptRecordsOf(session).find(key, offset, limit) : null
    if (kept === null) throw error
    return kept
  }
}

async function searchRecords(
  { api }: ApiContext,
  datasetId: string,
  criteria: Criteria,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<Pick<FoundPage, 'items' | 'total'>> {
  const { similarity, search } = criteria
  // For a similarity search the server's total is limited to the requested number, so the whole list is fetched and cut here.
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

/**
 * The least similar records are the nearest to the inverted vector, so their score is inverted back to the similarity with the
 * record itself.
 */
const toScore = (score: number | null, similarity: Criteria['similarity']) =>
  score !== null && similarity?.order === 'least' ? 1 - score : score
