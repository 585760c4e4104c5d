import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { checkRangeBounds, checkVectorPart, OldParameters, SearchBody } from './query.ts'

const status = { entity: 'record', property: 'status' }
const terms = (values: unknown, scope: unknown = status) => ({ filters: { and: [{ type: 'terms', scope, values }] } })
const range = (bounds: object, scope: unknown = status) => ({ filters: { and: [{ type: 'range', scope, ...bounds }] } })
const sort = (...entries: unknown[]) => ({ sort: entries })
const vector = (part: object) => ({ query: { vector: { name: 'embed', ...part } } })
const id = '6a0c0b0e-2f0e-4f3d-9a54-3c0d6d9b7f11'

describe('the shape of a search body', () => {
  test.each<[unknown, boolean]>([
    [{}, true],
    [{ query: null, filters: null, sort: null }, true],
    [{ other: 1 }, true],
    [{ query: { text: null, vector: null } }, true],
    [{ query: { text: { q: '' } } }, true],
    [{ query: { text: { q: 'a', field: null } } }, true],
    [{ query: { text: {} } }, false],
    [{ query: { text: { q: null } } }, false],
    [{ query: { text: { q: true } } }, false],
    [vector({ value: [1, 2] }), true],
    [vector({ record_id: id, order: 'least_similar', max_results: 3 }), true],
    [vector({ value: [1], order: null }), false],
    [vector({ value: [1], order: 'similar' }), false],
    [{ query: { vector: { value: [1] } } }, false],
    [{ filters: {} }, true],
    [{ filters: { and: [] } }, false],
    [{ filters: { type: 'and', ...terms(['a']).filters } }, true],
    [{ filters: { and: Array(50).fill(terms(['a']).filters.and[0]) } }, true],
    [{ filters: { and: Array(51).fill(terms(['a']).filters.and[0]) } }, false],
    [terms([]), false],
    [terms(Array(250).fill('a')), true],
    [terms(Array(251).fill('a')), false],
    [terms([true]), false],
    [terms([null]), false],
    [range({ ge: 1, le: null }), true],
    [range({ ge: 'a' }), true],
    [range({ ge: true }), true],
    [range({ ge: [] }), false],
    [{ filters: { and: [{ scope: status, values: ['a'] }] } }, false],
    [{ filters: { and: [{ type: 'not', scope: status, values: ['a'] }] } }, false],
    [terms(['a'], { entity: 'thing' }), false],
    [terms(['a'], { entity: 'record', property: 'fields' }), false],
    [terms(['a'], { entity: 'record', property: '_server_id' }), true],
    [terms(['a'], { entity: 'metadata', metadata_property: '' }), false],
    [terms(['a'], { entity: 'metadata', metadata_property: 'a'.repeat(200) }), true],
    [terms(['a'], { entity: 'metadata', metadata_property: 'a'.repeat(201) }), false],
    [terms(['a'], { entity: 'suggestion', question: 'q' }), true],
    [terms(['a'], { entity: 'suggestion', question: 'q', property: null }), true],
    [terms(['a'], { entity: 'suggestion', property: 'score' }), false],
    [terms(['a'], { entity: 'response', question: null, property: 'status' }), true],
    [terms(['a'], { entity: 'response', property: 'value' }), false],
    [sort(), false],
    [sort({ scope: status, order: 'asc' }), true],
    [sort({ scope: status }), false],
    [sort({ scope: status, order: 'up' }), false],
    [sort(...Array(11).fill({ scope: status, order: 'asc' })), false],
  ])('%j: %s', (body, fits) => {
    expect(Check(SearchBody, body)).toBe(fits)
  })

  test('`filter` is an old spelling of `filters`', () => {
    expect(SearchBody).toMatchObject({ 'x-alias': { filter: 'filters' } })
  })
})

test.each<[Parameters<typeof checkRangeBounds>[0], boolean]>([
  [{}, false],
  [{ ge: null, le: null }, false],
  [{ ge: 1 }, true],
  [{ le: 'a' }, true],
  [{ ge: 1, le: 1 }, true],
  [{ ge: 2, le: 1 }, false],
  [{ ge: '10', le: '5' }, true],
  [{ ge: '5', le: '10' }, false],
  [{ ge: 1, le: '2' }, false],
  [{ ge: '1', le: 2 }, false],
  [{ ge: false, le: 1 }, true],
])('bounds %j: %s', (bounds, right) => {
  expect(checkRangeBounds(bounds) === null).toBe(right)
})

test.each<[Parameters<typeof checkVectorPart>[0], boolean]>([
  [{}, false],
  [{ value: [] }, false],
  [{ value: [1] }, true],
  [{ record_id: id }, true],
  [{ record_id: id, value: [] }, true],
  [{ record_id: id, value: null }, true],
  [{ record_id: id, value: [1] }, false],
])('vector by %j: %s', (part, right) => {
  expect(checkVectorPart(part) === null).toBe(right)
})

test.each<[unknown, boolean]>([
  [{}, true],
  [{ response_status: ['missing', 'pending', 'draft', 'submitted', 'discarded'] }, true],
  [{ response_status: ['completed'] }, false],
  [{ metadata: ['name:a,b', 'n:{"ge": 1}', 'a:b:c'] }, true],
  [{ metadata: ['name'] }, false],
  [{ metadata: [':a'] }, false],
  [{ metadata: ['name:'] }, false],
])('old parameters %j: %s', (parameters, fits) => {
  expect(Check(OldParameters, parameters)).toBe(fits)
})
