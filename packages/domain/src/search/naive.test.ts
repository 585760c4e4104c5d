import { describe, expect, test } from 'vitest'
import type { ResponseStatus } from '../responses.ts'
import { PLAIN_QUERY, plainDocument } from '../testing/plain-search.ts'
import type { SearchDocument, SearchValue } from './document.ts'
import { searchNaively } from './naive.ts'
import type { Existing, Filter, SearchQuery, Sort, Target } from './query.ts'
import { parseTextQuery } from './text-query.ts'

const document = (id: string, part: Partial<SearchDocument> = {}): SearchDocument => ({ ...plainDocument(id), ...part })

const answer = (user_id: string, status: ResponseStatus, ...values: SearchValue[]) => ({
  user_id,
  status,
  values: new Map([['q', values]]),
})

const search = (documents: SearchDocument[], part: Partial<SearchQuery>) => searchNaively(documents, { ...PLAIN_QUERY, ...part })

const metadata: Target = { kind: 'metadata', propertyId: 'm', as: 'keyword' }
const response = (as: 'keyword' | 'number'): Target => ({ kind: 'response', questionId: 'q', questionName: 'q', as })
const externalId: Target = { kind: 'record', property: 'external_id', as: 'keyword' }
const suggestion = (property: 'value' | 'score' | 'agent', as: 'keyword' | 'number'): Target => ({
  kind: 'suggestion',
  questionId: 'q',
  questionName: 'q',
  property,
  as,
})

describe('filters', () => {
  const documents = [
    document('none'),
    document('ana', { responses: [answer('ana', 'submitted', 'food', 'sport')] }),
    document('both', { responses: [answer('ana', 'draft', 'food'), answer('ben', 'submitted', 'news')] }),
  ]
  const ids = (filter: Filter, userId: string | null = null) => search(documents, { filters: [filter], userId }).ids
  const status = (statuses: ResponseStatus[], pending = false): Filter => ({ kind: 'response_status', statuses, pending })

  test('pending means no response: of anybody, or of the caller', () => {
    expect(ids(status([], true))).toEqual(['none'])
    expect(ids(status([], true), 'ben')).toEqual(['ana', 'none'])
    expect(ids(status(['draft'], true), 'ana')).toEqual(['both', 'none'])
  })

  test('a status matches any response, or only those of the caller', () => {
    expect(ids(status(['submitted']))).toEqual(['ana', 'both'])
    expect(ids(status(['submitted']), 'ana')).toEqual(['ana'])
  })

  test('response values count whatever the status, and one of several is enough', () => {
    expect(ids({ kind: 'values', target: response('keyword'), values: ['food'] })).toEqual(['ana', 'both'])
    expect(ids({ kind: 'values', target: response('keyword'), values: ['news', 'sport'] }, 'ana')).toEqual(['ana'])
  })

  test('each filter stands alone: two users may meet two of them', () => {
    const filters = [status(['submitted']), { kind: 'values', target: response('keyword'), values: ['food'] } satisfies Filter]
    expect(search(documents, { filters }).ids).toEqual(['ana', 'both'])
  })

  test('existence filters match values, suggestions even without a value, non-empty answers and flags', () => {
    const has = [
      document('metadata', { metadata: new Map([['m', ['web']]]) }),
      document('suggestion', { suggestions: new Map([['q', { values: [], scores: [], agent: null, type: null }]]) }),
      document('answer', { responses: [answer('ana', 'draft', 'food')] }),
      document('empty', { responses: [answer('ana', 'draft')] }),
      document('flag', { flags: ['ben'] }),
    ]
    const found = (of: Existing, userId: string | null = null, exists = true) =>
      search(has, { filters: [{ kind: 'exists', of, exists }], userId }).ids
    expect(found({ kind: 'metadata', propertyId: 'm', as: 'keyword' })).toEqual(['metadata'])
    expect(found({ kind: 'suggestion', questionIds: ['p', 'q'] })).toEqual(['suggestion'])
    expect(found({ kind: 'response', questionId: 'q' })).toEqual(['answer'])
    expect(found({ kind: 'response', questionId: 'q' }, 'ben')).toEqual([])
    expect([found({ kind: 'flag' }), found({ kind: 'flag' }, 'ben'), found({ kind: 'flag' }, 'ana')]).toEqual([
      ['flag'],
      ['flag'],
      [],
    ])
    expect(found({ kind: 'flag' }, 'ben', false)).toEqual(['answer', 'empty', 'metadata', 'suggestion'])
  })

  test('nothing matches nothing, and a missing value no range', () => {
    expect(ids({ kind: 'nothing' })).toEqual([])
    expect(ids({ kind: 'text_ranges', target: externalId, ranges: [{ from: null, to: null }] })).toEqual([])
  })

  test('one of several scores within the range is enough, and ranges hold their ends', () => {
    const scored = [document('a', { suggestions: new Map([['q', { values: [], scores: [0.1, 0.9], agent: 'm', type: null }]]) })]
    const within = (from: number | null, to: number | null) =>
      search(scored, { filters: [{ kind: 'number_ranges', target: suggestion('score', 'number'), ranges: [{ from, to }] }] })
        .total
    expect([within(0.9, null), within(null, 0.1), within(0.2, 0.8), within(0.91, null)]).toEqual([1, 1, 0, 0])
  })
})

describe('sorting', () => {
  const order = (documents: SearchDocument[], target: Sort['target'], userId: string | null = null) =>
    (['asc', 'desc'] as const).map(order => search(documents, { sort: [{ target, order }], userId }).ids)

  test('texts by code point, missing ones last both ways', () => {
    const documents = ['a', 'B', null, '10', '2', '\uFF5E', '😀'].map(text => document(`id-${text}`, { external_id: text }))
    expect(order(documents, externalId)).toEqual([
      ['id-10', 'id-2', 'id-B', 'id-a', 'id-\uFF5E', 'id-😀', 'id-null'],
      ['id-😀', 'id-\uFF5E', 'id-a', 'id-B', 'id-2', 'id-10', 'id-null'],
    ])
  })

  test('of several values the smallest ascending, the largest descending; equal ones by id', () => {
    const documents = [
      document('x', { metadata: new Map([['m', ['b', 'y']]]) }),
      document('w', { metadata: new Map([['m', ['a', 'z']]]) }),
      document('v', { metadata: new Map([['m', ['a']]]) }),
      document('u', { metadata: new Map([['m', []]]) }),
    ]
    expect(order(documents, metadata)).toEqual([
      ['v', 'w', 'x', 'u'],
      ['w', 'x', 'v', 'u'],
    ])
  })

  test('ratings of responses by their average, of the caller’s only when asked so', () => {
    const documents = [
      document('a', { responses: [answer('ana', 'draft', 1), answer('ben', 'submitted', 5)] }),
      document('b', { responses: [answer('ana', 'discarded', 2)] }),
      document('c'),
    ]
    expect(order(documents, response('number'))).toEqual([
      ['b', 'a', 'c'],
      ['a', 'b', 'c'],
    ])
    expect(order(documents, response('number'), 'ana')[0]).toEqual(['a', 'b', 'c'])
  })

  test('by response status', () => {
    const documents = [
      document('a', { responses: [answer('ana', 'submitted')] }),
      document('b', { responses: [answer('ana', 'discarded')] }),
    ]
    expect(order(documents, { kind: 'response_status', as: 'keyword' })).toEqual([
      ['b', 'a'],
      ['a', 'b'],
    ])
  })

  test('the second key decides where the first is equal', () => {
    const documents = [document('a', { external_id: 'x' }), document('b', { external_id: 'y' })]
    const sort: Sort[] = [
      { target: { kind: 'record', property: 'status', as: 'keyword' }, order: 'asc' },
      { target: externalId, order: 'desc' },
    ]
    expect(search(documents, { sort }).ids).toEqual(['b', 'a'])
  })
})

test('text, paging and the total go together', () => {
  const documents = ['1', '2', '3', '4'].map(id =>
    document(id, { text: new Map([['text', [id === '3' ? 'pear' : 'green apple']]]) }),
  )
  const text = { tree: parseTextQuery('apple'), field: null }
  expect(search(documents, { text, offset: 1, limit: 1 })).toEqual({ ids: ['2'], total: 3 })
  expect(search(documents, { text, offset: 9 })).toEqual({ ids: [], total: 3 })
  expect(search(documents, { text: { ...text, field: 'other' } }).total).toBe(0)
})

test('the nearest come first, without the record asked about and those without a vector', () => {
  const at = (id: string, ...vector: number[]) => document(id, { vectors: new Map([['v', vector]]) })
  const documents = [at('a', 1, 0), at('b', 1, 1), at('c', -1, 0), document('d')]
  const similar = { vectorSettingsId: 'v', value: [1, 0], order: 'most_similar' as const, excludeRecordId: null }
  expect(search(documents, { similar }).ids).toEqual(['a', 'b', 'c'])
  expect(search(documents, { similar: { ...similar, order: 'least_similar' } }).ids).toEqual(['c', 'b', 'a'])
  expect(search(documents, { similar: { ...similar, excludeRecordId: 'a' } }).ids).toEqual(['b', 'c'])
})
