/** Reading records: visibility per caller, relations, paging, and the older list parameters. */
import type { DatasetRecord } from '@postil/domain/records'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused } from './answers.ts'
import { aDataset, addRecords, aRecord, type BuiltDataset, draft, idOf, SMALL, SMALL_DRAFT, submitted } from './datasets.ts'
import { type Caller, sharedWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
  const { owner, memberAnnotator } = world
  const by = (user: Caller, body: object) => ({ user_id: user.id, ...body })
  const suggestions = [{ question_id: idOf(dataset.questions, 'mood'), value: 'sad' }]
  await addRecords(world, dataset, [
    {
      fields: { text: 'r0' },
      external_id: '0',
      metadata: { source: 'web', length: 5, weight: 0.5, hidden: 'x', extra: 1 },
      responses: [by(owner, submitted()), by(memberAnnotator, draft())],
    },
    {
      fields: { text: 'r1' },
      external_id: '1',
      metadata: { source: ['mail', 'book'], length: 1 },
      responses: [by(memberAnnotator, submitted())],
      vectors: { embed: [1, 2, 3], other: [1, 2] },
    },
    { fields: { text: 'r2' }, external_id: '2', metadata: { length: 10, hidden: 'y' }, suggestions },
    { fields: { text: 'r3' }, external_id: '3', metadata: null, responses: [by(owner, { status: 'discarded' })] },
    { fields: { text: 'r4' }, external_id: '4', metadata: {}, vectors: { embed: [3, 2, 1], other: [2, 1] } },
  ])
})

type Page = { items: DatasetRecord[]; total: number }
const list = (query = '', caller = world.owner, prefix = '') => caller.send<Page>(`GET ${prefix}${dataset.path}/records${query}`)
const idsOf = ({ body }: { body: Page }) => body.items.map(record => record.external_id).join('')
const relationsOf = (record: DatasetRecord | undefined) =>
  ['responses', 'suggestions', 'vectors'].filter(key => record !== undefined && key in record)

describe('a list', () => {
  test('is in the order of insertion, with the true total, whatever the page', async () => {
    expect([idsOf(await list()), (await list()).body.total]).toEqual(['01234', 5])
    expect(idsOf(await list('?limit=2&offset=1'))).toBe('12')
    expect(idsOf(await list('?offset=-3&limit=1'))).toBe('0')
    expect((await list('?offset=99')).body).toEqual({ items: [], total: 5 })
    expect((await list('?limit=1000&nonsense=1')).status).toBe(200)
  })

  test.each([
    ['', []],
    ['?include=responses', ['responses']],
    ['?include=responses,suggestions', ['responses', 'suggestions']],
    ['?include=responses&include=suggestions&include=vectors', ['responses', 'suggestions', 'vectors']],
    ['?include=vectors:embed,other', ['vectors']],
    ['?include=responses&include=responses', ['responses']],
    ['?include=nonsense:a', []],
  ])('with %s carries %j', async (query, relations) => {
    for (const prefix of ['', '/me']) {
      const { status, body } = await list(query, world.owner, prefix)
      expect([status, relationsOf(body.items[0])]).toEqual([200, relations])
    }
    const search = await world.owner.done<{ items: { record: DatasetRecord }[] }>(
      `POST ${dataset.path}/records/search${query}`,
      {},
    )
    expect(relationsOf(search.items[0]?.record)).toEqual(relations)
  })

  test('carries the vectors that are named; unknown names give none', async () => {
    const vectors = async (query: string) => (await list(query)).body.items.map(record => record.vectors)
    const other = [{}, { other: [1, 2] }, {}, {}, { other: [2, 1] }]
    expect(await vectors('?include=vectors:other')).toEqual(other)
    expect(await vectors('?include=vectors:other&include=vectors:nothing')).toEqual(other)
    expect(await vectors('?include=vectors:nothing')).toEqual([{}, {}, {}, {}, {}])
    expect((await vectors('?include=vectors'))[1]).toEqual({ embed: [1, 2, 3], other: [1, 2] })
  })

  test('pages on records, also when several vectors are named', async () => {
    const query = '?include=vectors:embed,other&limit=2&offset='
    expect([idsOf(await list(`${query}0`)), idsOf(await list(`${query}2`)), idsOf(await list(`${query}4`))]).toEqual([
      '01',
      '23',
      '4',
    ])
  })

  test.each([
    '',
    'nonsense',
    'responses,',
    ',responses',
    'vectors:',
    'vectors:a:b',
    'vectors:a,',
    ':a',
    'responses,nonsense',
    'vectors&include=vectors:embed',
  ])('refuses include=%s', async include => {
    for (const prefix of ['', '/me']) expectRefused(await list(`?include=${include}`, world.owner, prefix))
    expectRefused(await world.owner.send(`POST ${dataset.path}/records/search?include=${include}`, {}))
  })

  test('of a draft is empty, filtered or not', async () => {
    const { path } = await aDataset(world, {
      ...SMALL_DRAFT,
      properties: [{ name: 'source', title: 'S', settings: { type: 'terms' } }],
    })
    for (const query of ['', '?response_status=pending', '?metadata=source:web', '?sort_by=metadata.source:desc']) {
      for (const prefix of ['', '/me']) {
        expect(await world.owner.done(`GET ${prefix}${path}/records${query}`)).toEqual({ items: [], total: 0 })
      }
    }
  })
})

describe('older parameters', () => {
  test.each([
    ['response_status=submitted', '01', '1'],
    ['response_status=draft', '0', '0'],
    ['response_status=discarded', '3', ''],
    ['response_status=pending', '24', '234'],
    ['response_status=missing', '24', '234'],
    ['response_status=draft&response_status=pending', '024', '0234'],
    ['metadata=source:web', '0', '0'],
    ['metadata=source:web,book', '01', '01'],
    ['metadata=length:{"ge": 1, "le": 5}', '01', '01'],
    ['metadata=length:{"ge": 6}', '2', '2'],
    ['metadata=length:{"le": 5}&metadata=source:mail', '1', '1'],
    ['metadata=weight:{"ge": 0.5, "le": 0.5}', '0', '0'],
    ['metadata=source:mail&response_status=submitted', '1', '1'],
    ['metadata=source:nothing', '', ''],
  ])('%s: everybody -> %j, the caller alone -> %j', async (query, all, own) => {
    const everybody = await list(`?${query}`)
    expect([idsOf(everybody), everybody.body.total]).toEqual([all, all.length])
    const mine = await list(`?${query}&sort_by=inserted_at`, world.memberAnnotator, '/me')
    expect([idsOf(mine), mine.body.total]).toEqual([own, own.length])
  })

  test.each([
    ['sort_by=inserted_at:desc', '43210'],
    ['sort_by=inserted_at', '01234'],
    ['sort_by=metadata.length', '10234'],
    ['sort_by=metadata.length:desc', '20134'],
    ['sort_by=metadata.source:asc', '10234'],
    ['sort_by=metadata.source&sort_by=inserted_at:desc', '10432'],
    ['sort_by=updated_at:asc&limit=2&offset=3', '34'],
  ])('%s -> %s', async (query, expected) => {
    expect(idsOf(await list(`?${query}`))).toBe(expected)
    expect(idsOf(await list(`?${query}`, world.memberAnnotator, '/me'))).toBe(expected)
  })

  test.each([
    'metadata=nothing:a',
    'metadata=extra:1',
    'metadata=length:5',
    'metadata=length:{}',
    'metadata=length:{"ge": 5, "le": 1}',
    'metadata=length:{"ge": "a"}',
    'metadata=length:[1]',
    'sort_by=text',
    'sort_by=inserted_at:up',
    'sort_by=metadata.nothing',
    'sort_by=metadata.extra',
    'sort_by=',
  ])('%s is refused', async query => {
    for (const prefix of ['', '/me']) expectRefused(await list(`?${query}`, world.owner, prefix))
  })

  test.each(['metadata=hidden:x', 'sort_by=metadata.hidden'])('%s is unknown to annotators', async query => {
    expectRefused(await list(`?${query}`, world.memberAnnotator, '/me'))
    expect((await list(`?${query}`, world.memberAdmin, '/me')).status).toBe(200)
  })

  test('of the wrong form are a problem of shape', async () => {
    expectProblems(await list('?metadata=source:web&metadata=source'), [['string_pattern_mismatch', 'query', 'metadata', 1]])
    expectProblems(await list('?response_status=Pending'), [['enum', 'query', 'response_status', 0]])
  })
})

describe('what a caller sees', () => {
  const seen = {
    owner: { source: 'web', length: 5, weight: 0.5, hidden: 'x', extra: 1 },
    memberAdmin: { source: 'web', length: 5, weight: 0.5, hidden: 'x', extra: 1 },
    memberAnnotator: { source: 'web', length: 5, weight: 0.5 },
  }
  const responders = { owner: ['owner'], memberAdmin: [], memberAnnotator: ['memberAnnotator'] } as const

  test.each(['owner', 'memberAdmin', 'memberAnnotator'] as const)('on /me: %s', async actor => {
    const query = '?include=responses&sort_by=inserted_at'
    const { body } = await list(query, world[actor], '/me')
    const searched = await world[actor].done<{ items: { record: DatasetRecord }[] }>(
      `POST /me${dataset.path}/records/search${query}`,
      {},
    )
    for (const records of [body.items, searched.items.map(({ record }) => record)]) {
      expect(records.map(({ metadata }) => metadata).slice(0, 5)).toMatchObject([seen[actor], {}, {}, null, {}] as object[])
      expect(records[0]?.metadata).toEqual(seen[actor])
      expect(records[0]?.responses?.map(response => response.user_id)).toEqual(responders[actor].map(name => world[name].id))
    }
  })

  test.each([
    { actor: 'owner', responses: 2 },
    { actor: 'memberAdmin', responses: 2 },
    { actor: 'memberAnnotator', responses: 1 },
  ] as const)('of one record: $actor', async ({ actor, responses }) => {
    const id = (await list()).body.items[0]?.id
    const record = await world[actor].done<DatasetRecord>(`GET /records/${id}`)
    expect(record.metadata).toEqual(seen[actor])
    expect(record.responses).toHaveLength(responses)
    if (responses === 1) expect(record.responses?.[0]?.user_id).toBe(world.memberAnnotator.id)
  })

  test('vectors and everything else are there for one record', async () => {
    const id = (await list()).body.items[1]?.id
    const record = await world.memberAnnotator.done<DatasetRecord>(`GET /records/${id}`)
    expect(record.vectors).toEqual({ embed: [1, 2, 3], other: [1, 2] })
    expect(record).toMatchObject({ metadata: { source: ['mail', 'book'], length: 1 }, suggestions: [], status: 'completed' })
  })

  test('metadata that is null stays null', async () => {
    const record = await aRecord(world, await aDataset(world, SMALL), { metadata: null })
    expect((await world.memberAnnotator.done<DatasetRecord>(`GET /records/${record.id}`)).metadata).toBeNull()
  })
})
