/** Which records a job is about, as the server is told. */
import type { BulkRequest } from '@postil/domain/bulk-jobs'
import type { Question } from '@postil/domain/questions'
import type { CountsBody } from '@postil/domain/search/counts'
import type { Criteria, SearchFilter } from '../find/criteria.ts'
import { toSearchBody } from '../find/search-body.ts'

export type Targets = Pick<BulkRequest, 'query' | 'except_record_ids' | 'record_ids' | 'expected_total'>

/** All that match but these. The order means nothing to a job. */
export function matchTargets(
  criteria: Criteria,
  except: readonly string[],
  more: readonly SearchFilter[],
  total: number,
): Targets {
  const { query, filters } = toSearchBody({ ...criteria, similarity: null, sort: [] })
  return {
    query: { ...(query ? { query } : {}), filters: { and: [...(filters?.and ?? []), ...more] } },
    ...(except.length > 0 ? { except_record_ids: [...except] } : {}),
    expected_total: total,
  }
}

export const namedTargets = (recordIds: readonly string[]): Targets => ({
  record_ids: [...recordIds],
  expected_total: recordIds.length,
})

/** Records with a suggestion for a question that is good enough. */
export const suggestedFilter = ({ name }: Question, minScore: number | null): SearchFilter =>
  minScore === null
    ? { type: 'exists', scope: { entity: 'suggestion', question: name }, exists: true }
    : { type: 'range', scope: { entity: 'suggestion', question: name, property: 'score' }, ge: minScore, le: null }

/** How many of what the criteria find are so, and the scores of a question among them. */
export function countsBody(criteria: Criteria, question: Question, minScore: number | null): CountsBody {
  const { query, filters } = toSearchBody({ ...criteria, similarity: null, sort: [] })
  return {
    ...(query?.text ? { query: { text: query.text } } : {}),
    filters: { and: [...(filters?.and ?? []), suggestedFilter(question, minScore)] },
    of: [{ entity: 'suggestion', question: question.name, property: 'score' }],
  }
}
