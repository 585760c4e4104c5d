import { expect, test } from 'vitest'
import type { FilterTarget } from '../query/criteria.ts'
import { countedOptions, type TargetCounts, toBars, toBounds, toCountsBody } from './counts.ts'
import { NOTHING } from './fixtures.ts'

const target = { entity: 'metadata', metadata_property: 'lang' } as const
const values: TargetCounts = {
  target,
  values: [
    { value: 'fr', count: 9 },
    { value: 'en', count: 4 },
  ],
  other: 3,
}
const numbers: TargetCounts = {
  target,
  min: 2,
  max: 5,
  buckets: [
    { from: 1, to: 4, count: 2 },
    { from: 4, to: 8, count: 0 },
  ],
}
const lang: FilterTarget = { of: 'metadata', name: 'lang', property: 'value' }

test('a panel counts records that match all other criteria', () => {
  const criteria = {
    ...NOTHING,
    search: { text: 'late', field: 'text' },
    filters: [{ target: lang, value: { kind: 'terms' as const, values: ['en'] } }],
  }
  expect(
    toCountsBody(criteria, [
      lang,
      { of: 'suggestion', name: 'intent', property: 'score' },
      { of: 'response', name: 'intent', property: 'value' },
    ]),
  ).toEqual({
    query: { text: { q: 'late', field: 'text' } },
    filters: { and: [{ type: 'terms', scope: target, values: ['en'] }] },
    response_status: 'pending',
    of: [target, { entity: 'suggestion', question: 'intent', property: 'score' }, { entity: 'response', question: 'intent' }],
    exclude_own: true,
  })
})

test('empty criteria send a valid request', () => {
  expect(toCountsBody(NOTHING, [])).toEqual({ response_status: 'pending', of: [], exclude_own: true })
})

test('options come in their own order, then what else occurs, then what was chosen', () => {
  const options = [
    { value: 'de', text: 'German' },
    { value: 'en', text: 'English' },
  ]
  expect(countedOptions(options, ['xx', 'en'], values)).toEqual([
    { value: 'de', text: 'German', count: 0 },
    { value: 'en', text: 'English', count: 4 },
    { value: 'fr', text: 'fr', count: 9 },
    { value: 'xx', text: 'xx', count: 0 },
  ])
  expect(countedOptions(options, [], null).map(({ count }) => count)).toEqual([null, null])
})

test('bars are buckets of numbers or single ratings', () => {
  expect(toBars(numbers, null)).toEqual(numbers.buckets)
  expect(toBounds(toBars(numbers, null))).toEqual({ min: 1, max: 8 })
  const stars: TargetCounts = { target, values: [{ value: '2', count: 7 }], other: 0 }
  expect(toBars(stars, { min: 1, max: 3 })).toEqual([
    { from: 1, to: 1, count: 0 },
    { from: 2, to: 2, count: 7 },
    { from: 3, to: 3, count: 0 },
  ])
  expect(toBars(null, null)).toEqual([])
  expect(toBounds([])).toBeNull()
})
