import { describe, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import type { SearchBody } from './query.ts'
import { resolveList, resolveSearch, type SearchOptions } from './resolve.ts'
import type { SearchDataset } from './targets.ts'

const dataset: SearchDataset = {
  fields: [{ name: 'prompt' }, { name: 'picture' }],
  questions: [{ id: 'q-topic', name: 'topic', searchAs: 'keyword' }],
  metadata_properties: [{ id: 'm-secret', name: 'secret', searchAs: 'integer', visible_for_annotators: false }],
  vectors_settings: [{ id: 'v-embed', name: 'embed', dimensions: 2 }],
}

const options: SearchOptions = { userId: null, hidesMetadata: false, now: '2026-11-15T03:19:37.685294', offset: 0, limit: 50 }
const resolve = (body: SearchBody, more: Partial<SearchOptions> = {}) => resolveSearch(body, dataset, { ...options, ...more })

function failure(run: () => unknown): DomainError {
  try {
    run()
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const vectorOf = (part: object): SearchBody => ({ query: { vector: { name: 'embed', ...part } } })
const topicSort: SearchBody['sort'] = [{ scope: { entity: 'suggestion', question: 'topic' }, order: 'desc' }]
const bySecret: SearchBody['sort'] = [{ scope: { entity: 'metadata', metadata_property: 'secret' }, order: 'asc' }]

test('an empty body finds everything', () => {
  const everything = { text: null, similar: null, filters: [], sort: [], userId: null, shuffleFor: null, offset: 0, limit: 50 }
  expect(resolve({})).toEqual(everything)
  expect(resolve({ query: null, filters: {}, sort: null })).toEqual(everything)
})

describe('the text part', () => {
  test.each([null, '', undefined])('searches all fields for field %j', field => {
    const text = { q: 'fox', ...(field === undefined ? {} : { field }) }
    expect(resolve({ query: { text } }).text).toEqual({ tree: { kind: 'word', runs: [['fox']] }, field: null })
  })

  test('searches one field, also one that holds no text', () => {
    expect(resolve({ query: { text: { q: 'fox', field: 'picture' } } }).text?.field).toBe('picture')
  })

  test('refuses an unknown field, even for everything', () => {
    expect(failure(() => resolve({ query: { text: { q: '*', field: 'other' } } })).at).toEqual(['query', 'text', 'field'])
  })

  test('is not a condition if it matches everything, and finds nothing if it is blank', () => {
    expect(resolve({ query: { text: { q: ' * ' } } }).text).toBeNull()
    expect(resolve({ query: { text: { q: '' } } }).text?.tree).toEqual({ kind: 'none' })
  })
})

describe('the vector part', () => {
  const similarRecord = { vectors: new Map([['v-embed', [3, 4]]]) }

  test('takes a value', () => {
    const similar = { vectorSettingsId: 'v-embed', value: [1, 2], order: 'most_similar', excludeRecordId: null }
    expect(resolve(vectorOf({ value: [1, 2] })).similar).toEqual(similar)
  })

  test('takes a record, which is then no candidate', () => {
    const similar = { vectorSettingsId: 'v-embed', value: [3, 4], order: 'least_similar', excludeRecordId: 'r1' }
    expect(resolve(vectorOf({ record_id: 'r1', order: 'least_similar' }), { similarRecord }).similar).toEqual(similar)
  })

  test.each<[string, SearchBody, string]>([
    ['an unknown vector', { query: { vector: { name: 'other', value: [1, 2] } } }, 'unprocessable'],
    ['too few dimensions', vectorOf({ value: [1] }), 'unprocessable'],
    ['too many dimensions', vectorOf({ value: [1, 2, 3] }), 'unprocessable'],
    ['zeros', vectorOf({ value: [0, -0] }), 'unprocessable'],
    ['an unknown record', vectorOf({ record_id: 'r1' }), 'unprocessable'],
  ])('refuses %s', (_, body, code) => {
    expect(failure(() => resolve(body)).code).toBe(code)
  })

  test('refuses a record without that vector, with a code of its own', () => {
    const refused = failure(() => resolve(vectorOf({ record_id: 'r1' }), { similarRecord: { vectors: new Map() } }))
    expect(refused.code).toBe('missing_vector')
  })

  test('leaves no other order', () => {
    const query = resolve({ ...vectorOf({ value: [1, 2] }), sort: topicSort }, { userId: 'u1' })
    expect(query).toMatchObject({ sort: [], shuffleFor: null, userId: 'u1' })
  })
})

describe('the order', () => {
  test('on /me is the caller’s shuffle unless there is text or a sort', () => {
    expect(resolve({}, { userId: 'u1' }).shuffleFor).toBe('u1')
    expect(resolve({ query: { text: { q: '*' } } }, { userId: 'u1' }).shuffleFor).toBe('u1')
    expect(resolve({ query: { text: { q: 'fox' } } }, { userId: 'u1' }).shuffleFor).toBeNull()
    expect(resolve({ sort: topicSort }, { userId: 'u1' }).shuffleFor).toBeNull()
  })

  test('comes from `sort_by` only when the body has none', () => {
    const parameters = { sort_by: ['updated_at:desc'] }
    expect(resolve({}, { parameters }).sort).toEqual([
      { target: { kind: 'record', property: 'updated_at', as: 'keyword' }, order: 'desc' },
    ])
    expect(resolve({ sort: topicSort }, { parameters }).sort).toMatchObject([{ target: { kind: 'suggestion' } }])
  })

  test('of a list is that of insertion, and on /me the shuffle', () => {
    expect(resolveList(dataset, options).sort).toMatchObject([{ target: { property: 'inserted_at' }, order: 'asc' }])
    expect(resolveList(dataset, { ...options, userId: 'u1' })).toMatchObject({ sort: [], shuffleFor: 'u1' })
    expect(resolveList(dataset, { ...options, parameters: { sort_by: ['metadata.secret'] } }).sort).toHaveLength(1)
  })
})

test('conditions of the query string stand next to those of the body', () => {
  const body: SearchBody = {
    filters: { and: [{ type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['pending'] }] },
  }
  const { filters } = resolve(body, { parameters: { response_status: ['missing'], metadata: ['secret:{"ge": 1}'] } })
  expect(filters.map(filter => filter.kind)).toEqual(['values', 'number_ranges', 'response_status'])
})

test('a metadata property hidden from the caller is unknown in filters, sorts and old parameters', () => {
  const hidden = { userId: 'u1', hidesMetadata: true }
  expect(() => resolve({ sort: bySecret })).not.toThrow()
  expect(() => resolve({ sort: bySecret }, hidden)).toThrow(DomainError)
  expect(() => resolve({}, { ...hidden, parameters: { sort_by: ['metadata.secret'] } })).toThrow(DomainError)
  expect(() => resolve({}, { ...hidden, parameters: { metadata: ['secret:{"ge": 1}'] } })).toThrow(DomainError)
})

test('problems are reported in the order filters, sort, vector, its record, text field', () => {
  const wrong = {
    filters: { and: [{ type: 'terms' as const, scope: { entity: 'response' as const, question: 'other' }, values: ['a'] }] },
    sort: [{ scope: { entity: 'metadata' as const, metadata_property: 'other' }, order: 'asc' as const }],
    query: { vector: { name: 'other', record_id: 'r1' }, text: { q: 'a', field: 'other' } },
  }
  const vector = { ...wrong.query.vector, name: 'embed' }
  expect(failure(() => resolve(wrong)).at).toEqual(['filters', 'and', 0])
  expect(failure(() => resolve({ ...wrong, filters: null })).at).toEqual(['sort', 0])
  expect(failure(() => resolve({ query: wrong.query })).at).toEqual(['query', 'vector', 'name'])
  expect(failure(() => resolve({ query: { ...wrong.query, vector } })).at).toEqual(['query', 'vector', 'record_id'])
  expect(failure(() => resolve({ query: { text: wrong.query.text } })).at).toEqual(['query', 'text', 'field'])
})

test('pages reach to the 500,000th result and not beyond', () => {
  expect(resolve({}, { offset: 499_000, limit: 1000 }).offset).toBe(499_000)
  expect(() => resolve({}, { offset: 499_001, limit: 1000 })).toThrow(DomainError)
})

test('a negative offset of a list counts as 0', () => {
  expect(resolveList(dataset, { ...options, offset: -5 }).offset).toBe(0)
})
