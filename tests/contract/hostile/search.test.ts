/** Searches that are unusual, too expensive, out of range or attempt SQL injection. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, expectProblems, expectRefused } from '../answers.ts'
import type { BuiltDataset } from '../datasets.ts'
import { datasetOf, expectUnprocessable, openTarget, recordsOf, type Target, writesNothing } from './target.ts'

let target: Target
let dataset: BuiltDataset
beforeAll(async () => {
  target = await openTarget()
  dataset = await datasetOf(target)
  const texts = ['quick brown fox', 'lazy dog and near cat', 'fox AND dog OR NOT NEAR', '"quoted" text:fox fox^2']
  await recordsOf(
    target,
    dataset,
    texts.map((text, i) => ({ fields: { text }, metadata: { source: 'web', length: i }, vectors: { embed: [i, 1, 1] } })),
  )
})
afterAll(() => target?.close())

type Found = { total: number; items: unknown[] }
const search = (body: object, query = '') => target.owner.send<Found>(`POST ${dataset.path}/records/search${query}`, body)
const find = (q: unknown, field?: string) => search({ query: { text: { q, field } } })

describe('a query text', () => {
  // There are no syntax errors: meaningless parts are ignored, including unclosed quotes and brackets.
  test.each([
    ['', 0],
    ['   ', 0],
    ['*', 4],
    ['**', 0],
    ['* *', 0],
    ['+', 0],
    ['|', 0],
    ['-', 0],
    ['+ | - " ( ) ~', 0],
    ['()', 0],
    ['""', 0],
    ['"', 0],
    ['\\', 0],
    ['fox', 3],
    ['"quick brown', 1],
    ['quick" brown', 1],
    ['(quick brown', 1],
    ['quick) brown', 1],
    ['((((((fox', 3],
    ['fox))))))', 3],
    ['fox\\', 3],
    ['fox""', 3],
    ['--fox', 3],
    ['---fox', 1],
    ['fox +++ dog', 1],
    ['quick ||| lazy', 2],
    ['AND', 2],
    ['fox AND dog', 1],
    ['fox OR dog', 1],
    ['NOT fox', 1],
    ['NEAR(fox dog)', 1],
    ['NEAR(fox dog, 2)', 0],
    ['near', 2],
    ['fox^2', 1],
    ['^fox', 3],
    ['text:fox', 1],
    ['text : fox', 0],
    ['{text}:fox', 0],
    ['fo*', 3],
    ['*ox', 0],
    ['fox*dog', 1],
    ['f?x', 0],
    ['fox~', 4],
    ['fix~1', 3],
    ['fox~99999999999999999999', 4],
    ['"quick fox"~2', 1],
    ['"quick fox"~99999999999999999999', 1],
    ['rowid', 0],
    ['f0:fox', 0],
    ['fox; drop table records', 0],
    ["'fox'", 3],
    ['\u0001fox', 3],
    ['🦊', 0],
    ['\u202efox', 3],
  ])('%j finds %d', async (q, total) => {
    const answer = await find(q)
    expect([answer.status, answer.body.total]).toEqual([200, total])
  })

  test.each([null, true, [], {}, ['fox'], { q: 'fox' }])('%j is not a query text', async q => {
    expectProblems(await find(q), [['string_type', 'body', 'query', 'text', 'q']])
  })

  test('a number is its digits', async () => {
    expect((await find(2)).status).toBe(200)
  })
})

const INJECTIONS = [
  "' or '1'='1",
  '"; drop table records; --',
  '1); delete from users; --',
  "' union select api_key from users --",
  'inserted_at desc, (select 1)',
  "''",
  '\\',
  '%',
  '?',
  ':a',
  '/*',
  '\n',
]

describe('SQL', () => {
  writesNothing(() => target)

  test.each(INJECTIONS)('%j does nothing in filters, sorts, names and parameters', async text => {
    const encoded = encodeURIComponent(text)
    const scopes = [
      { entity: 'record', property: 'id' },
      { entity: 'record', property: 'external_id' },
      { entity: 'record', property: 'status' },
      { entity: 'metadata', metadata_property: 'source' },
      { entity: 'suggestion', question: 'mood', property: 'agent' },
      { entity: 'suggestion', question: 'mood' },
      { entity: 'response', question: 'mood' },
      { entity: 'response', property: 'status' },
    ]
    for (const scope of scopes) {
      const found = await search({ filters: { and: [{ type: 'terms', scope, values: [text] }] } })
      expect([scope, found.status, found.body.total]).toEqual([scope, 200, 0])
    }
    for (const scope of [
      { entity: text },
      { entity: 'record', property: text },
      { entity: 'metadata', metadata_property: text },
      { entity: 'suggestion', question: text },
      { entity: 'suggestion', question: 'mood', property: text },
      { entity: 'response', question: text },
    ]) {
      expectUnprocessable(await search({ filters: { and: [{ type: 'terms', scope, values: ['x'] }] } }))
      expectUnprocessable(await search({ sort: [{ scope, order: 'asc' }] }))
    }
    expectUnprocessable(await search({ sort: [{ scope: { entity: 'record', property: 'id' }, order: text }] }))
    expectUnprocessable(await search({ query: { text: { q: 'fox', field: text } } }))
    expectUnprocessable(await search({ query: { vector: { name: text, value: [1, 2, 3] } } }))
    expect((await find(text)).status).toBe(200)
    for (const query of [
      `sort_by=${encoded}`,
      `sort_by=inserted_at:${encoded}`,
      `sort_by=metadata.${encoded}`,
      `include=${encoded}`,
    ]) {
      expectUnprocessable(await target.owner.send(`GET ${dataset.path}/records?${query}`))
    }
    expectUnprocessable(await target.owner.send(`GET ${dataset.path}/records?metadata=${encoded}:x`))
    expectUnprocessable(await target.owner.send(`GET ${dataset.path}/records?metadata=length:${encoded}`))
    expectUnprocessable(await target.owner.send(`GET ${dataset.path}/records?limit=${encoded}`))
    expectUnprocessable(await target.owner.send(`DELETE ${dataset.path}/records?ids=${encoded}`))
    const listed = [`GET ${dataset.path}/records?metadata=source:${encoded}`, `GET /datasets?name=${encoded}`]
    for (const request of listed) {
      const answer = await target.owner.send<Found>(request)
      expect([request, answer.status, answer.body.items]).toEqual([request, 200, []])
    }
  })
})

describe('too much', () => {
  const scope = { entity: 'record', property: 'status' }
  const terms = (count: number) => ({ type: 'terms', scope, values: Array.from({ length: count }, (_, i) => `v${i}`) })

  test('250 terms, 50 filters and 10 sorts are taken, one more is not', async () => {
    const filters = (count: number, values = 1) => ({ filters: { and: Array.from({ length: count }, () => terms(values)) } })
    const sort = (count: number) => ({ sort: Array.from({ length: count }, () => ({ scope, order: 'asc' })) })
    expect((await search(filters(1, 250))).status).toBe(200)
    expectProblem(await search(filters(1, 251)), 'too_long', 'body', 'filters', 'and', 0, 'terms', 'values')
    expectProblem(await search(filters(1, 0)), 'too_short', 'body', 'filters', 'and', 0, 'terms', 'values')
    expect((await search(filters(50, 250))).status).toBe(200)
    expectProblems(await search(filters(51)), [['too_long', 'body', 'filters', 'and']])
    expect((await search(sort(10))).status).toBe(200)
    expectProblems(await search(sort(11)), [['too_long', 'body', 'sort']])
    expectProblems(await search(sort(0)), [['too_short', 'body', 'sort']])
  })

  test('50 filters of 250 terms on every kind of scope at once', async () => {
    const scopes = [
      { entity: 'record', property: 'external_id' },
      { entity: 'metadata', metadata_property: 'source' },
      { entity: 'suggestion', question: 'topics' },
      { entity: 'response', question: 'topics' },
      { entity: 'response', property: 'status' },
    ]
    const and = Array.from({ length: 50 }, (_, i) => ({ ...terms(250), scope: scopes[i % scopes.length] }))
    expect((await search({ filters: { and } })).status).toBe(200)
  })

  test('a thousand parameters of each kind are answered', async () => {
    const { owner } = target
    const many = (part: string, count: number) => Array(count).fill(part).join('&')
    expect((await owner.send(`GET ${dataset.path}/records?${many('include=responses', 500)}`)).status).toBe(200)
    expect((await owner.send(`GET ${dataset.path}/records?${many('response_status=draft', 500)}`)).status).toBe(200)
    expectUnprocessable(await owner.send(`GET ${dataset.path}/records?${many('sort_by=inserted_at', 500)}`))
    expectUnprocessable(await owner.send(`GET ${dataset.path}/records?${many('metadata=source:x', 500)}`))
    const values = Array.from({ length: 5_000 }, (_, i) => i % 10).join(',')
    expect((await owner.send(`GET ${dataset.path}/records?metadata=source:${values}`)).status).toBe(200)
  })

  test('bounds that contradict each other are refused', async () => {
    const range = (bounds: object) => search({ filters: { and: [{ type: 'range', scope, ...bounds }] } })
    const at = ['body', 'filters', 'and', 0, 'range'] as const
    for (const bounds of [
      {},
      { ge: null, le: null },
      { ge: 2, le: 1 },
      { ge: 'b', le: 'a' },
      { ge: 1, le: 'a' },
      { ge: '5', le: '10' },
    ]) {
      expectProblems(await range(bounds), [['value_error', ...at]])
    }
  })
})

describe('pages', () => {
  const LIST = () => `GET ${dataset.path}/records`
  const MINE = () => `GET /me${dataset.path}/records`

  test.each([
    ['limit=0', 'greater_than_equal'],
    ['limit=-1', 'greater_than_equal'],
    ['limit=1001', 'less_than_equal'],
    ['limit=99999999999999999999', 'less_than_equal'],
    ['limit=1.5', 'int_parsing'],
    ['limit=1e2', 'int_parsing'],
    ['limit=ten', 'int_parsing'],
    ['limit=', 'int_parsing'],
    ['limit=0x10', 'int_parsing'],
    ['limit=NaN', 'int_parsing'],
    ['offset=x', 'int_parsing'],
    ['offset=1e400', 'int_parsing'],
    ['offset=99999999999999999999', 'int_parsing'],
  ])('%s is %s', async (query, type) => {
    const [name = ''] = query.split('=')
    for (const request of [LIST(), MINE()])
      expectProblems(await target.owner.send(`${request}?${query}`), [[type, 'query', name]])
    expectProblems(await search({}, `?${query}`), [[type, 'query', name]])
  })

  test('a negative offset is 0 in a list and refused in a search', async () => {
    for (const offset of [-1, -9007199254740991]) {
      for (const request of [LIST(), MINE(), `${LIST()}?sort_by=inserted_at`]) {
        const answer = await target.owner.send<Found>(`${request}${request.includes('?') ? '&' : '?'}offset=${offset}`)
        expect([answer.status, answer.body.items?.length]).toEqual([200, 4])
      }
      expectProblems(await search({}, `?offset=${offset}`), [['greater_than_equal', 'query', 'offset']])
    }
  })

  test('past the end there is nothing, and the total is right', async () => {
    for (const [offset, query] of [
      [4, ''],
      [499_000, ''],
      [600_000, ''],
      [9007199254740991, ''],
      [600_000, 'sort_by=inserted_at'],
      [600_000, 'response_status=pending'],
    ] as const) {
      const answer = await target.owner.send<Found>(`${LIST()}?offset=${offset}&${query}`)
      expect([offset, query, answer.status, answer.body]).toEqual([offset, query, 200, { items: [], total: 4 }])
    }
    const answer = await target.owner.send<Found>(`${MINE()}?offset=600000`)
    expect([answer.status, answer.body]).toEqual([200, { items: [], total: 4 }])
  })

  test('a search reaches 500,000 results and no further', async () => {
    expect((await search({}, '?offset=499950&limit=50')).body).toEqual({ items: [], total: 4 })
    expectRefused(await search({}, '?offset=499951&limit=50'))
    expectRefused(await search({}, '?offset=9007199254740991'))
    const vector = { query: { vector: { name: 'embed', value: [1, 2, 3] } } }
    expect((await search(vector, '?offset=1000')).body.items).toEqual([])
  })
})
