import { expect, test } from 'vitest'
import { NOTHING } from '../filters/fixtures.ts'
import type { Criteria, CriteriaFilter } from './criteria.ts'
import { toExportSearch, toFilters, toSearchBody } from './search-body.ts'

const filter = (
  of: CriteriaFilter['target']['of'],
  name: string | null,
  value: CriteriaFilter['value'],
  property: CriteriaFilter['target']['property'] = 'value',
) => toFilters({ target: { of, name, property }, value })

test.each([
  [
    filter('metadata', 'lang', { kind: 'terms', values: ['en', 'de'] }),
    [{ type: 'terms', scope: { entity: 'metadata', metadata_property: 'lang' }, values: ['en', 'de'] }],
  ],
  [
    filter('response', 'topics', { kind: 'terms', values: ['a', 'b'], isAll: true }),
    [
      { type: 'terms', scope: { entity: 'response', question: 'topics' }, values: ['a'] },
      { type: 'terms', scope: { entity: 'response', question: 'topics' }, values: ['b'] },
    ],
  ],
  [
    filter('suggestion', 'intent', { kind: 'range', from: 0.5, to: null }, 'score'),
    [{ type: 'range', scope: { entity: 'suggestion', question: 'intent', property: 'score' }, ge: 0.5, le: null }],
  ],
  [
    filter('response', null, { kind: 'exists', exists: false }),
    [{ type: 'exists', scope: { entity: 'response' }, exists: false }],
  ],
  [
    filter('record', 'flag', { kind: 'exists', exists: true }),
    [{ type: 'exists', scope: { entity: 'record', property: 'flag' }, exists: true }],
  ],
  [filter('record', 'inserted_at', { kind: 'dates', from: 'no day', to: null }), []],
])('a filter is asked for as %j', (body, expected) => {
  expect(body).toEqual(expected)
})

const search = { text: 'late', field: null }
const sort: Criteria['sort'] = [{ of: 'record', name: 'updated_at', property: 'value', order: 'desc' }]
const similarity = { recordId: 'r', vector: 'mini', limit: 50, order: 'least' as const }

test.each([
  ['nothing', NOTHING, ['inserted_at']],
  ['a search', { ...NOTHING, search }, undefined],
  ['a search and keys', { ...NOTHING, search, sort }, ['updated_at']],
  ['a comparison, whatever the keys', { ...NOTHING, sort, similarity }, undefined],
])('records of %s are sorted by %j', (_, criteria, expected) => {
  expect(toSearchBody(criteria).sort?.map(({ scope }) => 'property' in scope && scope.property)).toEqual(expected)
})

test('an export takes what is searched and filtered for, in every queue and without similar records', () => {
  const lang: CriteriaFilter = {
    target: { of: 'metadata', name: 'lang', property: 'value' },
    value: { kind: 'terms', values: ['en'] },
  }
  const similarity = { recordId: 'r', vector: 'v', limit: 50, order: 'most' as const }
  expect(toExportSearch({ ...NOTHING, queue: 'submitted', similarity })).toBeNull()
  expect(toExportSearch({ ...NOTHING, queue: 'submitted', search: { text: 'refund', field: null } })).toEqual({
    query: { text: { q: 'refund' } },
  })
  expect(toExportSearch({ ...NOTHING, filters: [lang], similarity })).toEqual({
    filters: { and: toFilters(lang) },
    sort: [{ scope: { entity: 'record', property: 'inserted_at' }, order: 'asc' }],
  })
})
