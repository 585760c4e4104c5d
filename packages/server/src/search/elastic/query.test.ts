import type { Filter, SearchQuery, Sort, Target } from '@postil/domain/search/query'
import { parseTextQuery } from '@postil/domain/search/text-query'
import { describe, expect, test } from 'vitest'
import { toShuffleBucket } from '../shuffle.ts'
import type { Clause } from './flavour.ts'
import { toFlavour } from './flavour.ts'
import { textPath } from './keys.ts'
import { fromSearchAnswer, toSearchRequest } from './query.ts'
import { toFilterClause } from './query-filters.ts'

const dataset = { id: 'd1', published: true, textFields: ['prompt', 'reply'], changeNo: 1 }
const elasticsearch = toFlavour('elasticsearch', '8.13.4')
const opensearch = toFlavour('opensearch', '2.19.1')
const ALL: SearchQuery = {
  text: null,
  similar: null,
  filters: [],
  sort: [],
  userId: null,
  shuffleFor: null,
  offset: 0,
  limit: 50,
}
const requestOf = (query: Partial<SearchQuery>, flavour = elasticsearch) =>
  toSearchRequest(dataset, { ...ALL, ...query }, flavour) as { [name: string]: unknown } | null

const record = (property: 'external_id' | 'inserted_at'): Target => ({ kind: 'record', property, as: 'keyword' })
const terms: Target = { kind: 'metadata', propertyId: 'p1', as: 'keyword' }
const length: Target = { kind: 'metadata', propertyId: 'p2', as: 'number' }
const stars: Target = { kind: 'response', questionId: 'q1', questionName: 'stars', as: 'number' }
const topic: Target = { kind: 'response', questionId: 'q2', questionName: 'topic', as: 'keyword' }

const nested = (...filter: Clause[]) => ({
  nested: { path: 'responses', query: filter.length === 0 ? { match_all: {} } : { bool: { filter } }, score_mode: 'none' },
})
const ofUser = { term: { 'responses.user_id': 'u1' } }
const either = (...should: Clause[]) => ({ bool: { should, minimum_should_match: 1 } })
const not = (clause: Clause) => ({ bool: { must_not: [clause] } })

const FILTER_ROWS: [filter: Filter, clause: Clause, userId?: string][] = [
  [{ kind: 'nothing' }, { match_none: {} }],
  [{ kind: 'values', target: terms, values: ['web', 'web', 'x'.repeat(9)] }, { terms: { 'metadata.p1': ['web', 'xxxxxxxxx'] } }],
  [{ kind: 'text_ranges', target: terms, ranges: [{ from: 'a', to: null }] }, { range: { 'metadata.p1': { gte: 'a' } } }],
  [{ kind: 'text_ranges', target: terms, ranges: [{ from: null, to: null }] }, { exists: { field: 'metadata.p1' } }],
  [
    { kind: 'text_ranges', target: record('inserted_at'), ranges: [{ from: '1970-01-01T00:00:00.000001', to: null }] },
    { range: { inserted_at: { gte: 1 } } },
  ],
  [{ kind: 'values', target: record('inserted_at'), values: ['yesterday'] }, { match_none: {} }],
  [
    {
      kind: 'number_ranges',
      target: length,
      ranges: [
        { from: 3, to: 3 },
        { from: 4, to: 9.5 },
        { from: 12, to: 12 },
      ],
    },
    either({ terms: { 'metadata.p2': [3, 12] } }, { range: { 'metadata.p2': { gte: 4, lte: 9.5 } } }),
  ],
  [{ kind: 'values', target: topic, values: ['food'] }, nested({ terms: { 'responses.values.q2': ['food'] } })],
  [{ kind: 'values', target: topic, values: ['food'] }, nested(ofUser, { terms: { 'responses.values.q2': ['food'] } }), 'u1'],
  [{ kind: 'response_status', statuses: ['draft'], pending: false }, nested({ terms: { 'responses.status': ['draft'] } })],
  [{ kind: 'response_status', statuses: [], pending: true }, not(nested())],
  [
    { kind: 'response_status', statuses: ['draft'], pending: true },
    either(nested(ofUser, { terms: { 'responses.status': ['draft'] } }), not(nested(ofUser))),
    'u1',
  ],
  [{ kind: 'exists', of: { kind: 'flag' }, exists: true }, { exists: { field: 'flags' } }],
  [{ kind: 'exists', of: { kind: 'flag' }, exists: false }, not({ term: { flags: 'u1' } }), 'u1'],
  [
    { kind: 'exists', of: { kind: 'suggestion', questionIds: ['q1', 'q2'] }, exists: true },
    { terms: { suggested: ['q1', 'q2'] } },
  ],
  [
    { kind: 'exists', of: { kind: 'response', questionId: 'q1' }, exists: true },
    nested(ofUser, { exists: { field: 'responses.values.q1' } }),
    'u1',
  ],
]

describe('filters', () => {
  test.each(FILTER_ROWS)('%j is %j', (filter, clause, userId) => {
    expect(toFilterClause(filter, userId ?? null)).toEqual(clause)
  })
})

const last = { id: { order: 'asc' } }
const SORT_ROWS: [sort: Sort, key: object][] = [
  [
    { target: record('external_id'), order: 'desc' },
    { external_id: { order: 'desc', missing: '_last', mode: 'max', unmapped_type: 'keyword' } },
  ],
  [{ target: length, order: 'asc' }, { 'metadata.p2': { order: 'asc', missing: '_last', mode: 'min', unmapped_type: 'double' } }],
  [
    { target: stars, order: 'asc' },
    {
      'responses.values.q1': {
        order: 'asc',
        missing: '_last',
        mode: 'avg',
        unmapped_type: 'double',
        nested: { path: 'responses', filter: { bool: { filter: [ofUser] } } },
      },
    },
  ],
  [
    { target: { kind: 'response_status', as: 'keyword' }, order: 'desc' },
    {
      'responses.status': {
        order: 'desc',
        missing: '_last',
        mode: 'max',
        unmapped_type: 'keyword',
        nested: { path: 'responses', filter: { bool: { filter: [ofUser] } } },
      },
    },
  ],
]

describe('order', () => {
  test.each(SORT_ROWS)('by %j, and then by id', (sort, key) => {
    expect(requestOf({ sort: [sort], userId: 'u1' })?.sort).toEqual([key, last])
  })

  test('without sort and text is that of the record numbers', () => {
    expect(requestOf({ offset: 10 })).toEqual({
      from: 10,
      size: 50,
      track_total_hits: true,
      _source: false,
      stored_fields: '_none_',
      docvalue_fields: ['record_no'],
      sort: [{ record_no: { order: 'asc' } }],
      query: { match_all: {} },
    })
  })

  test('of text is by score, unless a sort is given: then nothing is scored', () => {
    const text = { tree: parseTextQuery('fox'), field: 'reply' }
    const found = { term: { [textPath('reply')]: 'fox' } }
    expect(requestOf({ text })).toMatchObject({
      sort: [{ _score: { order: 'desc' } }, { record_no: { order: 'asc' } }],
      query: { bool: { must: [found], filter: [] } },
    })
    expect(requestOf({ text, sort: [{ target: length, order: 'asc' }] })?.query).toEqual({ bool: { filter: [found] } })
  })

  test('of a shuffle scores the place of every record, each differently', () => {
    const query = requestOf({ shuffleFor: 'u1', userId: 'u1' })?.query
    const { should } = (query as { bool: { should: { constant_score: Clause }[] } }).bool
    const boosts = new Map(
      should.map(({ constant_score: { filter, boost } }) => [(filter as { term: { shuffle: string } }).term.shuffle, boost]),
    )
    expect(boosts.size).toBe(64)
    expect(new Set(boosts.values()).size).toBe(64)
    expect(Math.min(...(boosts.values() as Iterable<number>))).toBe(1 / 64)
    expect(boosts.get(String(toShuffleBucket('r1')))).toBeGreaterThan(0)
  })
})

describe('similarity', () => {
  const similar = { vectorSettingsId: 'v1', value: [0, 2], order: 'least_similar' as const, excludeRecordId: 'r1' }
  const filters: Filter[] = [{ kind: 'values', target: terms, values: ['web'] }]
  const filter = { bool: { filter: [{ terms: { 'metadata.p1': ['web'] } }, not({ term: { id: 'r1' } })] } }

  test('asks Elasticsearch for the nearest among those that match', () => {
    expect(requestOf({ similar, filters, offset: 10, limit: 5 })).toMatchObject({
      from: 10,
      size: 5,
      knn: { field: 'vectors.v1', query_vector: [-0, -1, 0], k: 1000, num_candidates: 1000, filter },
    })
  })

  test('asks OpenSearch for them in its own words', () => {
    expect(requestOf({ similar, filters }, opensearch)?.query).toEqual({
      knn: { 'vectors.v1': { vector: [-0, -1, 0], k: 1000, filter } },
    })
  })

  test('reaches to the thousandth', () => {
    expect(requestOf({ similar, offset: 990, limit: 50 })).toMatchObject({ from: 990, size: 10, knn: { k: 4000 } })
    expect(requestOf({ similar, offset: 1000 })).toBeNull()
  })

  test('refuses vectors that the engine cannot index', () => {
    expect(() => requestOf({ similar: { ...similar, value: Array(5000).fill(1) } })).toThrow(/at most 4096 dimensions/)
  })
})

describe('limits of the engines', () => {
  const textOf = (q: string) => ({ tree: parseTextQuery(q), field: null })
  const words = (count: number) => textOf(Array.from({ length: count }, (_, i) => `w${i}`).join(' '))

  test('a query with more conditions than engines take is refused in plain words', () => {
    expect(requestOf({ text: words(500) })).not.toBeNull()
    expect(() => requestOf({ text: words(501) })).toThrow(/1002 conditions, and at most 1000/)
    expect(() => requestOf({ text: words(501) })).toThrow(expect.objectContaining({ at: ['query', 'text', 'q'] }))
    const ranges = Array.from({ length: 501 }, (_, i) => ({ from: i, to: i + 0.5 }))
    expect(() => requestOf({ filters: [{ kind: 'number_ranges', target: length, ranges }] })).toThrow(/1002 conditions/)
  })

  test('fuzzy words in many fields do not score, rather than being refused', () => {
    const text = textOf(Array.from({ length: 8 }, (_, i) => `w${i}~1 `).join(' '))
    const textFields = Array.from({ length: 20 }, (_, i) => `f${i}`)
    const request = toSearchRequest({ ...dataset, textFields }, { ...ALL, text }, elasticsearch)
    expect(JSON.stringify(request)).not.toContain('max_expansions')
    expect(JSON.stringify(requestOf({ text }))).toContain('max_expansions')
  })

  test('a part that lies deep is wrapped, and holds the rest', () => {
    let q = 'w0'
    for (let i = 1; i < 60; i++) q = i % 2 === 0 ? `(${q} | w${i})` : `(${q} w${i})`
    let json = JSON.stringify(requestOf({ text: textOf(q) }))
    let wraps = 0
    for (
      let match = /"wrapper":\{"query":"([^"]+)"/.exec(json);
      match !== null;
      match = /"wrapper":\{"query":"([^"]+)"/.exec(json)
    ) {
      expect(json).not.toContain('w0')
      json = Buffer.from(match[1] ?? '', 'base64').toString()
      wraps++
    }
    expect(wraps).toBe(2)
    expect(json).toContain('w0')
  })
})

describe('answers', () => {
  const hit = (recordNo: number, _score: number | null) => ({ _score, fields: { record_no: [recordNo] } })
  const answer = { hits: { total: { value: 70, relation: 'eq' }, hits: [hit(3, 0.5), hit(9, 0.25)] } }

  test.each<[what: string, query: Partial<SearchQuery>, scores: (number | null)[], total: number]>([
    ['everything', {}, [1, 1], 70],
    ['text', { text: { tree: parseTextQuery('fox'), field: null } }, [0.5, 0.25], 70],
    ['a sort', { sort: [{ target: length, order: 'asc' }] }, [null, null], 70],
    ['a shuffle', { shuffleFor: 'u1' }, [0.5, 0.25], 70],
    [
      'similarity',
      { similar: { vectorSettingsId: 'v1', value: [1], order: 'most_similar', excludeRecordId: null } },
      [0.5, 0.25],
      50,
    ],
  ])('to %s', (_what, query, scores, total) => {
    const { hits, total: found } = fromSearchAnswer({ ...ALL, ...query }, answer, elasticsearch)
    expect([hits.map(({ recordNo }) => recordNo), hits.map(({ score }) => score), found]).toEqual([[3, 9], scores, total])
  })

  /** OpenSearch scores for inner products of 1, 0.5, 0, -1, and one that exceeds 1 because of rounding. */
  test.each([
    [2, 1],
    [1.5, 0.75],
    [1, 0.5],
    [0.5, 0],
    [2.0000002, 1],
  ])('to similarity on OpenSearch: %d means %d', (score, expected) => {
    const similar = { vectorSettingsId: 'v1', value: [1], order: 'most_similar' as const, excludeRecordId: null }
    const [found] = fromSearchAnswer(
      { ...ALL, similar },
      { hits: { total: { value: 1 }, hits: [hit(3, score)] } },
      opensearch,
    ).hits
    expect(found?.score).toBe(expected)
    expect(toFlavour('opensearch', '2.12.0').fromNearestScore(0.3)).toBe(0.3)
  })

  test.each([{ timed_out: true }, { _shards: { total: 3, successful: 2, failed: 1 } }])(
    'about a part of the index are refused: %j',
    part => {
      expect(() => fromSearchAnswer(ALL, { ...answer, ...part }, elasticsearch)).toThrow(/part of the index/)
      expect(fromSearchAnswer(ALL, { ...answer, timed_out: false, _shards: { failed: 0 } }, elasticsearch).total).toBe(70)
    },
  )
})
