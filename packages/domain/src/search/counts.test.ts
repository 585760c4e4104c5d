import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { accepts } from '../testing.ts'
import { CountsBody, resolveCounts, toQueueFilters } from './counts.ts'
import type { SearchDataset } from './targets.ts'

const dataset: SearchDataset = {
  fields: [{ name: 'text' }],
  questions: [
    { id: 'q-topic', name: 'topic', searchAs: 'keyword' },
    { id: 'q-stars', name: 'stars', searchAs: 'integer' },
    { id: 'q-spots', name: 'spots', searchAs: 'unordered' },
    { id: 'q-comment', name: 'comment', searchAs: 'none' },
  ],
  metadata_properties: [
    { id: 'm-source', name: 'source', searchAs: 'keyword', visible_for_annotators: true },
    { id: 'm-length', name: 'length', searchAs: 'integer', visible_for_annotators: true },
    { id: 'm-ratio', name: 'ratio', searchAs: 'float', visible_for_annotators: false },
  ],
  vectors_settings: [],
}
const options = { userId: 'u', hidesMetadata: false, now: '2026-11-15T03:19:37.685294' }
const resolve = (body: CountsBody, hidesMetadata = false) => resolveCounts(body, dataset, { ...options, hidesMetadata })

const metadata = (metadata_property: string) => ({ entity: 'metadata' as const, metadata_property })
const suggestion = (question: string, property: 'value' | 'score' | 'agent' | 'type' = 'value') => ({
  entity: 'suggestion' as const,
  question,
  property,
})
const response = (question: string) => ({ entity: 'response' as const, question })
const terms = (scope: object, ...values: string[]) => ({ type: 'terms', scope, values }) as never
const exists = (scope: object) => ({ type: 'exists', scope, exists: true }) as never

test.each([
  [metadata('source'), 'values'],
  [metadata('length'), 'integer'],
  [metadata('ratio'), 'float'],
  [suggestion('topic'), 'values'],
  [suggestion('stars'), 'values'],
  [suggestion('spots'), 'values'],
  [suggestion('comment', 'score'), 'score'],
  [suggestion('comment', 'agent'), 'values'],
  [suggestion('topic', 'type'), 'values'],
  [response('stars'), 'values'],
  [response('spots'), 'values'],
])('%j is counted as %s', (target, as) => {
  expect(resolve({ of: [target] }).targets).toMatchObject([{ as }])
})

test.each([metadata('other'), suggestion('other'), response('other'), suggestion('comment'), response('comment')])(
  '%j cannot be counted',
  target => {
    try {
      resolve({ of: [metadata('source'), target] })
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      expect(error.at).toEqual(['of', 1])
    }
  },
)

test('a hidden property is unknown to annotators', () => {
  expect(() => resolve({ of: [metadata('ratio')] }, true)).toThrow(DomainError)
})

describe('filters', () => {
  const and = [
    terms(metadata('source'), 'web'),
    terms(suggestion('topic'), 'food'),
    terms(suggestion('topic', 'agent'), 'm1'),
    exists(metadata('length')),
    exists({ entity: 'suggestion', question: 'stars' }),
    exists({ entity: 'suggestion' }),
    exists(response('comment')),
    exists({ entity: 'record', property: 'flag' }),
  ]
  const kept = (target: NonNullable<CountsBody['of']>, exclude_own: boolean) => {
    const { filters, targets } = resolve({ filters: { and }, of: target, exclude_own })
    return filters.flatMap((filter, i) => (targets[0]?.filters.includes(filter) ? [i] : []))
  }

  test('all count, unless those on the target itself are left out', () => {
    expect(kept([metadata('source')], false)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test.each([
    [metadata('source'), [1, 2, 3, 4, 5, 6, 7]],
    [suggestion('topic'), [0, 2, 3, 4, 5, 6, 7]],
    [suggestion('topic', 'agent'), [0, 1, 3, 4, 5, 6, 7]],
    [metadata('length'), [0, 1, 2, 4, 5, 6, 7]],
    [suggestion('stars', 'score'), [0, 1, 2, 3, 5, 6, 7]],
    [response('topic'), [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('on %j alone are left out: %j stay', (target, stay) => {
    expect(kept([target], true)).toEqual(stay)
  })
})

test('the queue narrows the targets, not the filters', () => {
  const { filters, queue, targets } = resolve({ response_status: 'pending', of: [metadata('source')] })
  expect([filters, queue, targets[0]?.filters]).toEqual([[], 'pending', toQueueFilters('pending')])
  expect(toQueueFilters('pending')).toMatchObject([
    { kind: 'response_status', pending: true },
    { kind: 'values', values: ['pending'] },
  ])
  expect(toQueueFilters('draft')).toEqual([{ kind: 'response_status', statuses: ['draft'], pending: false }])
})

test.each([
  [{}, true],
  [{ of: [] }, true],
  [{ of: Array(30).fill(metadata('a')) }, true],
  [{ of: Array(31).fill(metadata('a')) }, false],
  [{ of: [{ entity: 'record', property: 'status' }] }, false],
  [{ response_status: 'open' }, false],
  [{ response_status: null, filters: null, query: null, of: null }, true],
])('the body %j -> %s', (body, ok) => {
  expect(accepts(CountsBody, body)).toBe(ok)
})
