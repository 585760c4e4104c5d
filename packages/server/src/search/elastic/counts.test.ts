import { bucketOf, planBuckets } from '@postil/domain/search/buckets'
import type { CountedTarget, CountQuery } from '@postil/domain/search/counts'
import type { Target } from '@postil/domain/search/query'
import { parseTextQuery } from '@postil/domain/search/text-query'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_BOUNDS, toBoundsRequest, toCountRequest } from './counts.ts'
import { fromBoundsAnswer, fromCountAnswer } from './counts-answer.ts'
import { toBucketRanges } from './counts-buckets.ts'

const dataset = { id: 'd1', published: true, textFields: ['prompt'], changeNo: 1 }
const source: Target = { kind: 'metadata', propertyId: 'p1', as: 'keyword' }
const weight: Target = { kind: 'metadata', propertyId: 'p2', as: 'number' }
const stars: Target = { kind: 'response', questionId: 'q1', questionName: 'stars', as: 'number' }
const BASE: CountQuery = { text: null, filters: [], userId: 'u1', queue: null, queues: [], targets: [] }

const counted = (target: Target, as: CountedTarget['as'] = 'values', more: Partial<CountedTarget> = {}): CountedTarget => ({
  target,
  as,
  filters: [],
  ...more,
})
const requestOf = (query: Partial<CountQuery>, options = { bounds: NO_BOUNDS, shards: 1 }) =>
  toCountRequest(dataset, { ...BASE, ...query }, options) as { query: object; aggs: { [name: string]: object } }
const ORDER = [{ _count: 'desc' }, { _key: 'asc' }]

describe('count request', () => {
  test('counts the queues under the filters, and the values of each target under its own', () => {
    const web = { kind: 'values' as const, target: source, values: ['web'] }
    const { aggs } = requestOf({ filters: [web], queue: 'draft', queues: ['draft'], targets: [counted(source)] })
    const own = { nested: { path: 'responses', score_mode: 'none', query: expect.anything() } }
    const draft = { filter: { bool: { filter: [{ terms: { 'metadata.p1': ['web'] } }, own] } } }
    expect(aggs).toEqual({
      total: draft,
      draft,
      target_0: {
        filter: { match_all: {} },
        aggs: { values: { terms: { field: 'metadata.p1', size: 1000, order: ORDER } } },
      },
    })
  })

  test('looks for answers in the responses of the user', () => {
    expect(requestOf({ targets: [counted(stars, 'values', { valuesMax: 3 })] }).aggs.target_0).toMatchObject({
      aggs: {
        responses: {
          nested: { path: 'responses' },
          aggs: {
            own: {
              filter: { bool: { filter: [{ term: { 'responses.user_id': 'u1' } }] } },
              aggs: { values: { terms: { field: 'responses.values.q1', size: 1000 } } },
            },
          },
        },
      },
    })
  })

  test('asks each of several shards for more values than it needs', () => {
    const { aggs } = requestOf({ targets: [counted(source)] }, { bounds: NO_BOUNDS, shards: 3 })
    expect(aggs.target_0).toMatchObject({ aggs: { values: { terms: { size: 1000, shard_size: 20_000 } } } })
  })

  test('does not score the text', () => {
    expect(requestOf({ text: { tree: parseTextQuery('fox'), field: null } }).query).toEqual({
      bool: { filter: [{ term: expect.anything() }] },
    })
  })

  test('asks for the bounds of what is counted in buckets only', () => {
    expect(toBoundsRequest({ ...BASE, targets: [counted(source), counted(stars)] })).toBeNull()
    expect(toBoundsRequest({ ...BASE, targets: [counted(source), counted(weight, 'float')] })).toMatchObject({
      aggs: { min_1: { min: { field: 'metadata.p2' } }, max_1: { max: { field: 'metadata.p2' } } },
    })
  })
})

describe('buckets as ranges', () => {
  test('hold exactly the numbers that bucketOf puts into them', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      fc.integer(),
      fc.float({ noNaN: true, noDefaultInfinity: true }),
    )
    const kind = fc.constantFrom('integer' as const, 'float' as const, 'score' as const)
    const property = fc.property(fc.array(number, { minLength: 2, maxLength: 8 }), kind, (drawn, kind) => {
      const values = kind === 'integer' ? drawn.map(Math.round) : drawn
      const plan = planBuckets(Math.min(...values), Math.max(...values), kind)
      const ranges = toBucketRanges(plan)
      for (const value of values) {
        const held = ranges
          .filter(({ from, to }) => value >= from && (to === undefined || value < to))
          .map(({ key }) => Number(key))
        const bucket = bucketOf(value, plan)
        // A bucket may be -0.
        expect(held).toEqual(bucket < 0 ? [] : [bucket + 0])
      }
    })
    fc.assert(property)
  })
})

describe('count answer', () => {
  test('orders ratings by their texts and counts what is not listed together', () => {
    const targets = [counted(stars, 'values', { valuesMax: 2 })]
    const buckets = [2, 10, 9].map(key => ({ key, doc_count: 4 }))
    const answer = {
      aggregations: {
        total: { doc_count: 12 },
        draft: { doc_count: 5 },
        target_0: { doc_count: 12, responses: { own: { values: { sum_other_doc_count: 3, buckets } } } },
      },
    }
    expect(fromCountAnswer({ ...BASE, queues: ['draft'], targets }, answer, NO_BOUNDS)).toEqual({
      total: 12,
      by_status: { pending: 0, draft: 5, discarded: 0, submitted: 0 },
      targets: [
        {
          values: [
            { value: '10', count: 4 },
            { value: '2', count: 4 },
          ],
          other: 7,
        },
      ],
    })
  })

  test('lays buckets over the bounds; without numbers there are none', () => {
    const query = { ...BASE, targets: [counted(weight, 'integer'), counted(weight, 'float')] }
    const bounds = fromBoundsAnswer(query, { aggregations: { min_0: { value: 1 }, max_0: { value: 2 }, min_1: { value: null } } })
    expect(bounds).toEqual([{ min: 1, max: 2 }, null])
    const buckets = { buckets: [{ key: '1', doc_count: 6 }] }
    const target_0 = { doc_count: 6, min: { value: 2 }, max: { value: 2 }, buckets }
    const answer = { aggregations: { total: { doc_count: 9 }, target_0, target_1: { doc_count: 0 } } }
    expect(fromCountAnswer(query, answer, bounds).targets).toEqual([
      {
        min: 2,
        max: 2,
        buckets: [
          { from: 1, to: 1, count: 0 },
          { from: 2, to: 2, count: 6 },
        ],
      },
      { min: null, max: null, buckets: [] },
    ])
  })
})
