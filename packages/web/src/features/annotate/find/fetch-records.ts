/** One page of the records that meet the criteria, with my own responses; without a network, of those that were kept. */
import { ConnectionError } from '@postil/client'
import type { Asker, Session } from '../../../session/session.ts'
import { keptRecordsOf } from '../kept-records.ts'
import type { FoundPage } from '../kept-window.ts'
import type { Criteria } from './criteria.ts'
import { toSearchBody } from './search-body.ts'
import { writeCriteria } from './url-state.ts'

const keyOf = (datasetId: string, criteria: Criteria) => `records:${datasetId}:${JSON.stringify(writeCriteria(criteria))}`
const pageKeyOf = (key: string, offset: number, limit: number) => `${key}:${offset}:${limit}`

export const askRecords = (asker: Asker, datasetId: string, criteria: Criteria, offset: number, limit: number) =>
  asker.ahead.ask(pageKeyOf(keyOf(datasetId, criteria), offset, limit), () =>
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
  { api }: Asker,
  datasetId: string,
  criteria: Criteria,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<Pick<FoundPage, 'items' | 'total'>> {
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
