/** Similarity search, and the default order of results. */
import type { DatasetRecord } from '@postil/domain/records'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused } from './answers.ts'
import { ALL_VECTORS, aDataset, addRecords, aRecord, type BuiltDataset, draft, idOf, SMALL, submitted } from './datasets.ts'
import { aMember, type Caller, NO_ID, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Found = { items: { record: DatasetRecord; query_score: number | null }[]; total: number }

describe('similarity', () => {
  const VECTORS = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [1, 1, 0], null, [0, 0, 0]]
  let dataset: BuiltDataset
  let records: DatasetRecord[]
  beforeAll(async () => {
    const properties = [{ name: 'length', title: 'Length', settings: { type: 'integer' as const } }]
    dataset = await aDataset(world, { ...SMALL, properties, vectors: ALL_VECTORS })
    records = await addRecords(
      world,
      dataset,
      VECTORS.map((embed, i) => ({
        fields: { text: i % 2 === 0 ? 'even' : 'odd' },
        metadata: { length: i },
        ...(embed === null ? {} : { vectors: { embed } }),
      })),
    )
  })

  const search = (vector: object, body: object = {}, query = '', prefix = '') =>
    world.owner.send<Found>(`POST ${prefix}${dataset.path}/records/search${query}`, {
      ...body,
      query: { vector: { name: 'embed', ...vector }, ...(body as { query?: object }).query },
    })
  const numbers = ({ body, status, text }: { body: Found; status: number; text: string }) => {
    expect({ status, text }).toMatchObject({ status: 200 })
    return body.items.map(({ record }) => records.findIndex(({ id }) => id === record.id)).join('')
  }
  const scores = ({ body }: { body: Found }) => body.items.map(({ query_score }) => Number(query_score?.toFixed(4)))
  const NEAR = { value: [2, 0, 0] }

  test('orders by the angle; an all-zero vector is half like everything', async () => {
    for (const prefix of ['', '/me']) {
      const most = await search(NEAR, {}, '', prefix)
      expect([numbers(most), scores(most)]).toEqual(['03152', [1, 0.8536, 0.5, 0.5, 0]])
      const least = await search({ ...NEAR, order: 'least_similar' }, {}, '', prefix)
      expect([numbers(least), scores(least)]).toEqual(['21530', [1, 0.5, 0.5, 0.1464, 0]])
    }
  })

  test('to a record leaves that record out', async () => {
    expect(numbers(await search({ record_id: records[0]?.id }))).toBe('3152')
    expect(numbers(await search({ record_id: records[0]?.id }, {}, '?limit=1'))).toBe('3')
    expect(numbers(await search({ record_id: records[0]?.id, value: [], max_results: 1 }))).toBe('3152')
  })

  test('pages through all; the total is what was found so far, or all', async () => {
    for (const [query, found, soFar] of [
      ['?limit=2', '03', 2],
      ['?limit=2&offset=2', '15', 4],
      ['?limit=2&offset=10', '', 5],
    ] as const) {
      const answer = await search(NEAR, {}, query)
      expect([query, numbers(answer)]).toEqual([query, found])
      expect([soFar, 5]).toContain(answer.body.total)
    }
    expect((await search(NEAR, {}, '?offset=1000')).body.items).toEqual([])
  })

  test('takes the nearest of those that fit filters, text and older parameters', async () => {
    const filters = { and: [{ type: 'range', scope: { entity: 'metadata', metadata_property: 'length' }, ge: 1 }] }
    expect(numbers(await search(NEAR, { filters }, '?limit=1'))).toBe('3')
    expect(numbers(await search(NEAR, { query: { text: { q: 'even' } } }, '?limit=1'))).toBe('0')
    expect(numbers(await search(NEAR, { query: { text: { q: 'odd' } } }, '?limit=2'))).toBe('31')
    expect(scores(await search(NEAR, { query: { text: { q: 'odd' } } }, '?limit=2'))).toEqual([0.8536, 0.5])
    expect(numbers(await search(NEAR, {}, '?limit=1&metadata=length:{"ge":1}'))).toBe('3')
    await world.owner.done(`POST /records/${records[3]?.id}/responses`, submitted())
    expect(numbers(await search(NEAR, {}, '?response_status=submitted'))).toBe('3')
    expect(numbers(await search(NEAR, {}, '?response_status=pending&limit=2'))).toBe('01')
  })

  test('ignores sorts', async () => {
    const sort = [{ scope: { entity: 'record', property: 'inserted_at' }, order: 'desc' }]
    expect(numbers(await search(NEAR, { sort }, '?sort_by=inserted_at:desc'))).toBe('03152')
    expectRefused(await search(NEAR, { sort: [{ scope: { entity: 'metadata', metadata_property: 'nothing' }, order: 'asc' }] }))
  })

  test('to a record without that vector has an error of its own, told before the text field', async () => {
    for (const query of [{}, { text: { q: 'a', field: 'nothing' } }]) {
      const answer = await search({ record_id: records[4]?.id }, { query })
      expect([answer.status, answer.body]).toEqual([422, { code: 'missing_vector', message: expect.stringMatching(/./) }])
    }
    const unknown = { and: [{ type: 'terms', scope: { entity: 'metadata', metadata_property: 'nothing' }, values: ['a'] }] }
    expectRefused(await search({ record_id: records[4]?.id }, { filters: unknown }))
  })

  test.each([
    ['an unknown vector', { name: 'nothing', value: [1, 0, 0] }],
    ['too few numbers', { value: [1, 0] }],
    ['too many numbers', { value: [1, 0, 0, 0] }],
    ['nothing but zeros', { value: [0, 0, 0] }],
    ['a record of nothing', { record_id: NO_ID }],
  ])('to %s is refused', async (_, vector) => {
    expectRefused(await search(vector))
  })

  test('to a record of another dataset is refused', async () => {
    const foreign = await aRecord(world, await aDataset(world, { ...SMALL, vectors: ALL_VECTORS }), {
      vectors: { embed: [1, 2, 3] },
    })
    expectRefused(await search({ record_id: foreign.id }))
  })

  test.each([
    [{}, 'value_error', []],
    [{ value: [] }, 'value_error', []],
    [{ value: null, record_id: null }, 'value_error', []],
    [{ value: [1, 0, 0], record_id: NO_ID }, 'value_error', []],
    [{ value: [1, 0, 0], order: null }, 'enum', ['order']],
    [{ value: [1, 0, 0], order: 'near' }, 'enum', ['order']],
    [{ value: ['x', 0, 0] }, 'float_parsing', ['value', 0]],
  ])('%j is no vector query: %s', async (vector, type, loc) => {
    expectProblems(await search(vector), [[type, 'body', 'query', 'vector', ...loc]])
  })

  test('follows vectors as they are written, changed and deleted', async () => {
    const built = await aDataset(world, { ...SMALL, vectors: ALL_VECTORS })
    const nearest = async () => {
      const body = { query: { vector: { name: 'embed', value: ['1', 0, 0] } } }
      return (await world.owner.done<Found>(`POST ${built.path}/records/search`, body)).items
        .map(({ record }) => record.external_id)
        .join('')
    }
    expect(await nearest()).toBe('')
    const [a, b] = await addRecords(world, built, [
      { fields: { text: 'a' }, external_id: 'a', vectors: { embed: [1, 0, 0] } },
      { fields: { text: 'b' }, external_id: 'b', vectors: { embed: [0, 1, 0] } },
    ])
    expect(await nearest()).toBe('ab')
    await world.owner.done(`PATCH /records/${a?.id}`, { vectors: { embed: [-1, 0, 0] } })
    expect(await nearest()).toBe('ba')
    await world.owner.done(`PUT ${built.path}/records/bulk`, {
      items: [{ fields: { text: 'c' }, external_id: 'c', vectors: { embed: [1, 0, 0] } }],
    })
    expect(await nearest()).toBe('cba')
    await world.owner.done(`DELETE /records/${b?.id}`)
    expect(await nearest()).toBe('ca')
    await world.owner.done(`DELETE /vectors-settings/${idOf(built.vectors, 'embed')}`)
    expect(
      (await world.owner.send(`POST ${built.path}/records/search`, { query: { vector: { name: 'embed', value: [1, 0, 0] } } }))
        .status,
    ).toBe(422)
  })
})

describe('without text, sort or vector', () => {
  let dataset: BuiltDataset
  let records: DatasetRecord[]
  let other: Caller
  beforeAll(async () => {
    dataset = await aDataset(world, SMALL)
    records = await addRecords(
      world,
      dataset,
      Array.from({ length: 60 }, (_, i) => ({ fields: { text: `apple ${i}` } })),
    )
    other = await aMember(world)
  })

  const queue = async (caller: Caller, query = '?limit=1000', body: object = {}) => {
    const { items } = await caller.done<Found>(`POST /me${dataset.path}/records/search${query}`, body)
    return items.map(({ record }) => record.id)
  }
  const pending = { and: [{ type: 'terms', scope: { entity: 'response', property: 'status' }, values: ['pending'] }] }

  test('everybody has a shuffle that stays', async () => {
    const mine = await queue(world.memberAnnotator)
    expect(mine.toSorted()).toEqual(records.map(({ id }) => id).toSorted())
    expect(await queue(world.memberAnnotator)).toEqual(mine)
    expect(mine).not.toEqual(records.map(({ id }) => id))
    const pages = [await queue(world.memberAnnotator, '?limit=25'), await queue(world.memberAnnotator, '?limit=35&offset=25')]
    expect(pages.flat()).toEqual(mine)
    const listed = await world.memberAnnotator.done<{ items: DatasetRecord[] }>(`GET /me${dataset.path}/records?limit=1000`)
    expect(listed.items.map(({ id }) => id)).toEqual(mine)
  })

  test('it is different for each user: they do not meet the records in the same order', async () => {
    const followers = (ids: string[]) => new Set(ids.map((id, i) => `${id} ${ids[(i + 1) % ids.length]}`))
    const mine = followers(await queue(world.memberAnnotator))
    const shared = [...followers(await queue(other))].filter(pair => mine.has(pair))
    // By chance, one pair in sixty is the same.
    expect(shared.length).toBeLessThan(records.length / 2)
  })

  test('writes do not move records in it', async () => {
    const mine = await queue(world.memberAnnotator)
    const [first, second, third] = mine
    await world.memberAnnotator.done(`POST /records/${first}/responses`, draft())
    await world.owner.done(`PATCH /records/${second}`, { metadata: { a: 1 } })
    await world.owner.done(`PUT /records/${third}/suggestions`, { question_id: idOf(dataset.questions, 'mood'), value: 'sad' })
    expect(await queue(world.memberAnnotator)).toEqual(mine)
    expect(await queue(world.memberAnnotator, '?limit=1000', { filters: pending })).toEqual(mine.slice(1))
    await addRecords(world, dataset, [{ fields: { text: 'more apple' } }])
    expect((await queue(world.memberAnnotator)).filter(id => mine.includes(id))).toEqual(mine)
  })

  test('it ends where a text decides', async () => {
    const body = { query: { text: { q: 'apple' } } }
    const { items } = await world.memberAnnotator.done<Found>(`POST /me${dataset.path}/records/search?limit=1000`, body)
    const all = await world.owner.done<Found>(`POST ${dataset.path}/records/search?limit=1000`, body)
    expect(items.map(({ record }) => record.id)).toEqual(all.items.map(({ record }) => record.id))
  })

  test('records are oldest first for admins, also after a change', async () => {
    await world.owner.done(`PATCH /records/${records[0]?.id}`, { metadata: { a: 2 } })
    const { items } = await world.memberAdmin.done<Found>(`POST ${dataset.path}/records/search?limit=60`, {})
    expect(items.map(({ record }) => record.id)).toEqual(records.map(({ id }) => id))
    expect(new Set(items.map(({ query_score }) => query_score))).toEqual(new Set([1]))
  })
})
