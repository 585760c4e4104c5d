import { describe, expect, test } from 'vitest'
import { questionWith } from '../../../../questions/question-fixtures.ts'
import type { Criteria } from '../../find/query/criteria.ts'
import { countsBody, matchTargets, namedTargets, suggestedFilter } from './targets.ts'

const criteria: Criteria = {
  queue: 'pending',
  search: { text: 'late fee', field: 'message' },
  filters: [],
  sort: [{ of: 'record', name: 'updated_at', property: 'value', order: 'desc' }],
  similarity: null,
}
const question = questionWith({ type: 'text', use_markdown: false })
const MINE = { type: 'terms', scope: { entity: 'response', property: 'status' }, values: ['pending'] }
const OPEN = { type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['pending'] }

describe('all that match', () => {
  test('are described by the search and the queue, without a sort order', () => {
    expect(matchTargets(criteria, [], [], 412)).toEqual({
      query: { query: { text: { q: 'late fee', field: 'message' } }, filters: { and: [MINE, OPEN] } },
      expected_total: 412,
    })
  })

  test('but some, and only with a good suggestion', () => {
    const filter = suggestedFilter(question, 0.9)
    expect(matchTargets({ ...criteria, search: null, queue: 'draft' }, ['a'], [filter], 3)).toEqual({
      query: { filters: { and: [{ ...MINE, values: ['draft'] }, filter] } },
      except_record_ids: ['a'],
      expected_total: 3,
    })
  })
})

test('records by name', () => expect(namedTargets(['a', 'b'])).toEqual({ record_ids: ['a', 'b'], expected_total: 2 }))

test.each([
  [null, { type: 'exists', scope: { entity: 'suggestion', question: 'q' }, exists: true }],
  [0.5, { type: 'range', scope: { entity: 'suggestion', question: 'q', property: 'score' }, ge: 0.5, le: null }],
])('a score of %j is asked for', (minScore, filter) => {
  expect(suggestedFilter(question, minScore)).toEqual(filter)
  expect(countsBody(criteria, question, minScore)).toEqual({
    query: { text: { q: 'late fee', field: 'message' } },
    filters: { and: [MINE, OPEN, filter] },
    of: [{ entity: 'suggestion', question: 'q', property: 'score' }],
  })
})
