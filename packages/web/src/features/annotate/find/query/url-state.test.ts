import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocationQuery } from 'vue-router'
import type { Criteria, CriteriaFilter, SortKey } from './criteria.ts'
import { readCriteria, readPlace, writeCriteria, writePlace } from './url-state.ts'

const nothing: Criteria = { queue: 'pending', search: null, filters: [], sort: [], similarity: null }
const terms = (of: 'metadata' | 'response' | 'suggestion', name: string, values: string[], isAll?: boolean): CriteriaFilter => ({
  target: { of, name, property: 'value' },
  value: { kind: 'terms', values, ...(isAll === undefined ? {} : { isAll }) },
})

const range = (
  of: 'metadata' | 'response' | 'suggestion',
  name: string,
  from: number | null,
  to: number | null,
): CriteriaFilter => ({
  target: { of, name, property: 'value' },
  value: { kind: 'range', from, to },
})

describe('old links', () => {
  test.each<[LocationQuery, Partial<Criteria>]>([
    [{ status: 'submitted' }, { queue: 'submitted' }],
    [{ status: 'unknown' }, {}],
    [{ search: 'late_fee~text' }, { search: { text: 'late fee', field: 'text' } }],
    [{ search: 'fox(' }, { search: { text: 'fox(', field: null } }],
    [{ search: '100%' }, { search: { text: '100%', field: null } }],
    [{ metadata: 'split.train.test' }, { filters: [terms('metadata', 'split', ['train', 'test'])] }],
    [
      { metadata: 'split.train~loss.ge0.5.le2' },
      {
        filters: [
          terms('metadata', 'split', ['train']),
          { target: { of: 'metadata', name: 'loss', property: 'value' }, value: { kind: 'range', from: 0.5, to: 2 } },
        ],
      },
    ],
    [{ response: 'topics.operator.and.values.a.b' }, { filters: [terms('response', 'topics', ['a', 'b'], true)] }],
    [{ suggestion: 'topic.value.values.a' }, { filters: [terms('suggestion', 'topic', ['a'])] }],
    [
      { suggestion: 'topic.score.ge0.le0.9' },
      {
        filters: [{ target: { of: 'suggestion', name: 'topic', property: 'score' }, value: { kind: 'range', from: 0, to: 0.9 } }],
      },
    ],
    [
      { suggestion: 'topic.agent.gpt.rules' },
      {
        filters: [
          { target: { of: 'suggestion', name: 'topic', property: 'agent' }, value: { kind: 'terms', values: ['gpt', 'rules'] } },
        ],
      },
    ],
    [
      { sort: 'record.inserted_at.desc~suggestion.topic.score.asc~metadata.loss.asc' },
      {
        sort: [
          { of: 'record', name: 'inserted_at', property: 'value', order: 'desc' },
          { of: 'suggestion', name: 'topic', property: 'score', order: 'asc' },
          { of: 'metadata', name: 'loss', property: 'value', order: 'asc' },
        ],
      },
    ],
    [
      { similarity: 'record.abc-1.vector.mini.limit.50.order.most' },
      { similarity: { recordId: 'abc-1', vector: 'mini', limit: 50, order: 'most' } },
    ],
    [
      { similarity: 'record.abc-1.vector.a.b.limit.5000.order.least' },
      { similarity: { recordId: 'abc-1', vector: 'a.b', limit: 200, order: 'least' } },
    ],
    [{ response: 'stars.ge2.le4' }, { filters: [range('response', 'stars', 2, 4)] }],
    [
      { response: 'topic.values.a~topics.operator.or.values.a.b' },
      { filters: [terms('response', 'topic', ['a']), terms('response', 'topics', ['a', 'b'], false)] },
    ],
    [{ metadata: 'loss.ge-1.5.le' }, { filters: [range('metadata', 'loss', -1.5, null)] }],
    [{ suggestion: 'stars.value.ge1.le3' }, { filters: [range('suggestion', 'stars', 1, 3)] }],
    [{ suggestion: 'topics.value.operator.and.values.a.b' }, { filters: [terms('suggestion', 'topics', ['a', 'b'], true)] }],
    [
      { sort: 'response.stars.desc~suggestion.stars.value.desc~record.updated_at.asc' },
      {
        sort: [
          { of: 'response', name: 'stars', property: 'value', order: 'desc' },
          { of: 'suggestion', name: 'stars', property: 'value', order: 'desc' },
          { of: 'record', name: 'updated_at', property: 'value', order: 'asc' },
        ],
      },
    ],
    [
      { search: 'late_fee', status: ['draft', 'submitted'] },
      { queue: 'draft', search: { text: 'late fee', field: null } },
    ],
    [{ similarity: 'record.abc' }, {}],
    [{ sort: 'nonsense', metadata: '~', suggestion: 'topic', response: '' }, {}],
  ])('%j', (query, expected) => {
    expect(readCriteria(query)).toEqual({ ...nothing, ...expected })
  })
})

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(one => one.trim() === one && one !== '*')
const number = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map(value => Number(value.toFixed(3)) + 0)
const value: fc.Arbitrary<CriteriaFilter['value']> = fc.oneof(
  fc.record({
    kind: fc.constant('terms' as const),
    values: fc.array(fc.oneof(text, fc.constantFrom('exists', 'dates', 'operator', 'values')), { minLength: 1, maxLength: 3 }),
  }),
  fc.tuple(number, number).map(([from, to]) => ({ kind: 'range' as const, from, to })),
  fc.boolean().map(exists => ({ kind: 'exists' as const, exists })),
)
const filter: fc.Arbitrary<CriteriaFilter> = fc.oneof(
  fc.record({
    target: fc.record({ of: fc.constantFrom('metadata', 'response', 'record'), name: text, property: fc.constant('value') }),
    value,
  }),
  fc.record({
    target: fc.record({ of: fc.constant('suggestion'), name: text, property: fc.constantFrom('value', 'score', 'agent') }),
    value,
  }),
) as fc.Arbitrary<CriteriaFilter>
const sort: fc.Arbitrary<SortKey> = fc.oneof(
  fc.record({
    of: fc.constantFrom('record', 'metadata', 'response'),
    name: text,
    property: fc.constant('value'),
    order: fc.constantFrom('asc', 'desc'),
  }),
  fc.record({
    of: fc.constant('suggestion'),
    name: text,
    property: fc.constantFrom('value', 'score'),
    order: fc.constantFrom('asc', 'desc'),
  }),
) as fc.Arbitrary<SortKey>

test('what is written is read again, whatever names and values hold', () => {
  const order = ['metadata', 'response', 'suggestion', 'record']
  fc.assert(
    fc.property(
      text,
      fc.option(text),
      fc.array(filter, { maxLength: 4 }),
      fc.array(sort, { maxLength: 3 }),
      (words, field, filters, keys) => {
        const sorted = filters.toSorted((a, b) => order.indexOf(a.target.of) - order.indexOf(b.target.of))
        const criteria: Criteria = { ...nothing, search: { text: words, field }, filters: sorted, sort: keys }
        expect(readCriteria(writeCriteria(criteria))).toEqual(criteria)
      },
    ),
  )
})

test.each([
  [{}, { position: 0, bulkSize: null, recordId: null }],
  [{ page: '7' }, { position: 6, bulkSize: null, recordId: null }],
  [{ page: '1~25' }, { position: 0, bulkSize: 25, recordId: null }],
  [{ page: '1~26' }, { position: 0, bulkSize: null, recordId: null }],
  [{ page: '-3' }, { position: 0, bulkSize: null, recordId: null }],
  [
    { page: 'x', record: 'abc' },
    { position: 0, bulkSize: null, recordId: 'abc' },
  ],
])('the place of %j', (query, expected) => {
  const place = readPlace(query)
  expect(place).toEqual(expected)
  expect(readPlace(writePlace(place))).toEqual(place)
})
