/** The records of a job, in the format of the API. */
import type { BulkRequest } from '@postil/domain/bulk-jobs'
import type { Question } from '@postil/domain/questions'
import type { CountsBody } from '@postil/domain/search/counts'
import type { Criteria, SearchFilter } from '../../find/query/criteria.ts'
import { toSearchBody } from '../../find/query/search-body.ts'

export type Targets = Pick<BulkRequest, 'query' | 'except_record_ids' | 'record_ids' | 'expected_total'>

/** All matching records except these. The sort order is irrelevant to a job. */
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

/** Records with a suggestion for the question that reaches the score. */
export const suggestedFilter = ({ name }: Question, minScore: number | null): SearchFilter =>
  minScore === null
    ? { type: 'exists', scope: { entity: 'suggestion', question: name }, exists: true }
    : { type: 'range', scope: { entity: 'suggestion', question: name, property: 'score' }, ge: minScore, le: null }

/** Counts the matching records with such a suggestion, and the question's scores among them. */
export function countsBody(criteria: Criteria, question: Question, minScore: number | null): CountsBody {
  const { query, filters } = toSearchBody({ ...criteria, similarity: null, sort: [] })
  return {
    ...(query?.text ? { query: { text: query.text } } : {}),
    filters: { and: [...(filters?.and ?? []), suggestedFilter(question, minScore)] },
    of: [{ entity: 'suggestion', question: question.name, property: 'score' }],
  }
}
