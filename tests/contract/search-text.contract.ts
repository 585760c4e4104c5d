/** Text search: matches, relevance, and that the index follows every write. */
import type { DatasetRecord } from '@postil/domain/records'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused } from './answers.ts'
import { aDataset, addRecords, type BuiltDataset, SMALL, SMALL_DRAFT, TEXT_FIELD } from './datasets.ts'
import { sharedWorld, type World } from './http.ts'
import { FIELD_QUERIES, TEXT_QUERIES, TEXT_RECORDS } from './text-cases.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
  await addRecords(
    world,
    dataset,
    TEXT_RECORDS.map((fields, i) => ({ fields, external_id: String(i) })),
  )
})

type Found = { items: { record: DatasetRecord; query_score: number | null }[]; total: number }
const search = (text: unknown, query = '', { path } = dataset) =>
  world.owner.send<Found>(`POST ${path}/records/search${query}`, { query: { text } })
const numbersOf = ({ body }: { body: Found }) => body.items.map(({ record }) => record.external_id)

describe('a text query', () => {
  test.each(TEXT_QUERIES)('%j finds %j', async (q, found) => {
    const answer = await search({ q })
    expect(numbersOf(answer).toSorted().join('')).toBe(found)
    expect(answer.body.total).toBe(found.length)
    const mine = await world.memberAnnotator.done<Found>(`POST /me${dataset.path}/records/search`, { query: { text: { q } } })
    expect(
      mine.items
        .map(({ record }) => record.external_id)
        .toSorted()
        .join(''),
    ).toBe(found)
  })

  test.each(FIELD_QUERIES)('in field %j: %j finds %j', async (field, q, found) => {
    expect(
      numbersOf(await search({ q, field }))
        .toSorted()
        .join(''),
    ).toBe(found)
  })

  test('in a field that does not exist is refused', async () => {
    expectRefused(await search({ q: 'fox', field: 'nothing' }))
    expectRefused(await search({ q: '*', field: 'nothing' }))
  })

  test.each([
    [{}, 'missing'],
    [{ q: null }, 'string_type'],
    [{ q: true }, 'string_type'],
    [{ q: [] }, 'string_type'],
  ])('%j is no query', async (text, type) => {
    expectProblems(await search(text), [[type, 'body', 'query', 'text', 'q']])
  })

  test('does not look at metadata', async () => {
    await addRecords(world, dataset, [{ fields: { text: 'z' }, metadata: { extra: 'uncommon' }, external_id: '9' }])
    expect((await search({ q: 'uncommon' })).body.total).toBe(0)
    await world.owner.done(`DELETE /records/${(await search({ q: 'z' })).body.items[0]?.record.id}`)
  })

  test('is paged with the true total', async () => {
    const all = numbersOf(await search({ q: 'green | apple' }))
    const pages = [await search({ q: 'green | apple' }, '?limit=2'), await search({ q: 'green | apple' }, '?limit=2&offset=2')]
    expect(pages.flatMap(numbersOf)).toEqual(all.slice(0, 4))
    expect(pages.map(({ body }) => body.total)).toEqual([5, 5])
    expect((await search({ q: 'green | apple' }, '?offset=50')).body).toEqual({ items: [], total: 5 })
  })
})

describe('the score', () => {
  const TEXTS = ['apple pie', 'apple apple tart with cream', 'cream', 'an appla']
  let small: BuiltDataset
  beforeAll(async () => {
    small = await aDataset(world, { ...SMALL, fields: [TEXT_FIELD, { ...TEXT_FIELD, name: 'note', required: false }] })
    await addRecords(
      world,
      small,
      TEXTS.map((text, i) => ({ fields: { text }, external_id: String(i) })),
    )
  })

  const lengths = TEXTS.map(text => text.split(' ').length)
  const average = lengths.reduce((a, b) => a + b) / lengths.length
  const bm25 = (holding: number, times: number, length: number) =>
    (2.2 * Math.log(1 + (TEXTS.length - holding + 0.5) / (holding + 0.5)) * times) /
    (times + 1.2 * (0.25 + (0.75 * length) / average))

  const scoresOf = async (q: string) => {
    const { body } = await search({ q }, '', small)
    const scores = body.items.map(({ query_score }) => query_score)
    expect(scores).toEqual(scores.toSorted((a, b) => Number(b) - Number(a)))
    return Object.fromEntries(body.items.map(({ record, query_score }) => [record.external_id, query_score]))
  }

  test('is BM25 over the records that have the field, best first', async () => {
    const scores = await scoresOf('apple')
    expect(Object.keys(scores).toSorted()).toEqual(['0', '1'])
    expect(scores['0']).toBeCloseTo(bm25(2, 1, 2), 4)
    expect(scores['1']).toBeCloseTo(bm25(2, 2, 5), 4)
    expect((await scoresOf('apple cream'))['1']).toBeCloseTo(bm25(2, 2, 5) + bm25(2, 1, 5), 4)
  })

  test('is 1 for prefixes, for pure negation, for the star and for no text', async () => {
    expect(await scoresOf('app*')).toEqual({ 0: 1, 1: 1, 3: 1 })
    expect(await scoresOf('-cream')).toEqual({ 0: 1, 3: 1 })
    expect(await scoresOf('*')).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 })
    const { items } = await world.owner.done<Found>(`POST ${small.path}/records/search`, {})
    expect(items.map(({ record, query_score }) => [record.external_id, query_score])).toEqual(
      [0, 1, 2, 3].map(i => [String(i), 1]),
    )
  })

  test('of a near word is less by its distance', async () => {
    const { 2: near } = await scoresOf('creem~1')
    expect(near).toBeCloseTo(bm25(2, 1, 1) * (1 - 1 / 5), 4)
  })
})

describe('the index', () => {
  const found = async (q: string, built: BuiltDataset) => (await search({ q }, '', built)).body.total

  test('follows every way to write a record, at once', async () => {
    const built = await aDataset(world, SMALL)
    const [record] = await addRecords(world, built, [{ fields: { text: 'alpha' } }])
    const id = record?.id
    await world.owner.done(`PUT ${built.path}/records/bulk`, { items: [{ id, fields: { text: 'beta' } }] })
    expect([await found('alpha', built), await found('beta', built)]).toEqual([0, 1])
    await world.owner.done(`PATCH /records/${id}`, { fields: { text: 'gamma' } })
    expect([await found('beta', built), await found('gamma', built)]).toEqual([0, 1])
    await world.owner.done(`PATCH ${built.path}/records`, { items: [{ id, fields: { text: 'delta' } }] })
    expect([await found('gamma', built), await found('delta', built)]).toEqual([0, 1])
    await world.owner.done(`POST ${built.path}/records`, { items: [{ fields: { text: 'delta' } }] })
    expect(await found('delta', built)).toBe(2)
    await world.owner.done(`DELETE ${built.path}/records?ids=${id}`)
    expect(await found('delta', built)).toBe(1)
  })

  test('of a draft finds nothing and does not fail', async () => {
    const built = await aDataset(world, SMALL_DRAFT)
    for (const prefix of ['', '/me']) {
      for (const body of [{}, { query: { text: { q: 'a' } } }]) {
        expect(await world.owner.done(`POST ${prefix}${built.path}/records/search`, body)).toEqual({ items: [], total: 0 })
      }
    }
  })

  test('is read to a depth of 500 000', async () => {
    expect((await search({ q: 'fox' }, '?offset=499950&limit=50')).body).toEqual({ items: [], total: 3 })
    expect((await search({ q: 'fox' }, '?offset=499951&limit=50')).status).toBe(422)
  })
})
