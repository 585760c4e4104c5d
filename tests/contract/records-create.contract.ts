/** Creating records: bulk, the 1.x route, errors, and that an error stores nothing. */
import type { DatasetRecord, RecordsBulk } from '@postil/domain/records'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, expectProblems, expectRefused } from './answers.ts'
import { aDataset, aRecord, type BuiltDataset, draft, first, idOf, readRecord, SMALL, submitted } from './datasets.ts'
import { aMember, NO_ID, sharedWorld, type World } from './http.ts'
import { ACCEPTED_FIELDS, REFUSED_FIELDS, REFUSED_METADATA, REFUSED_VECTORS } from './record-cases.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
})

const GOOD = { fields: { text: 'A green apple' } }
const create = (...items: object[]) => world.owner.send<RecordsBulk>(`POST ${dataset.path}/records/bulk`, { items })
const total = async () => (await world.owner.done<{ total: number }>(`GET ${dataset.path}/records?limit=1`)).total
const at = (...loc: (string | number)[]) => ['body', 'items', 0, ...loc]

describe('a new record', () => {
  test('has all it was given, in the answer and when it is read again', async () => {
    const question_id = idOf(dataset.questions, 'mood')
    const item = {
      fields: { text: 'Hi', picture: 'https://pics.example/a.png', talk: [{ role: 'user', content: 'Hi' }], page: { a: 1 } },
      metadata: { source: ['web', 'mail'], length: 0, weight: 2, hidden: null, extra: { any: [1] } },
      external_id: '',
      vectors: { embed: ['1', 2.5, -3] },
      suggestions: [{ question_id, value: 'sad', score: '0.5', agent: 'a/b', type: 'human' }],
      responses: [{ user_id: world.memberAnnotator.id, ...submitted() }],
    }
    const record = first((await create({ ...item, id: NO_ID, status: 'pending' })).body.items)
    expect(record).toMatchObject({
      status: 'completed',
      fields: item.fields,
      metadata: item.metadata,
      external_id: '',
      vectors: { embed: [1, 2.5, -3] },
      dataset_id: dataset.id,
      suggestions: [{ question_id, value: 'sad', score: 0.5, agent: 'a/b', type: 'human' }],
      responses: [{ user_id: world.memberAnnotator.id, record_id: record.id, ...submitted() }],
    })
    expect(record.id).not.toBe(NO_ID)
    expect(await readRecord(world, record.id)).toEqual(record)
  })

  test('has null for what was never given, and empty relations', async () => {
    const record = first(
      (await create({ ...GOOD, metadata: null, external_id: null, vectors: null, suggestions: null, responses: null })).body
        .items,
    )
    expect(record).toMatchObject({
      metadata: null,
      external_id: null,
      vectors: {},
      suggestions: [],
      responses: [],
      status: 'pending',
    })
    expect((await aRecord(world, dataset, { metadata: {} })).metadata).toEqual({})
    expect(await readRecord(world, record.id)).toEqual(record)
  })

  test('has an external id that is text, also when a number is sent', async () => {
    const external = async (external_id: unknown) => first((await create({ ...GOOD, external_id })).body.items).external_id
    expect([await external(5), await external(2.5), await external('x'.repeat(3000))]).toEqual(['5', '2.5', 'x'.repeat(3000)])
    expectProblems(await create({ ...GOOD, external_id: true }), [['string_type', 'body', 'items', 0, 'external_id']])
  })

  test('comes in the order of the request, each a little later', async () => {
    const { items } = (await create(...Array.from({ length: 50 }, (_, i) => ({ fields: { text: String(i) } })))).body
    expect(items.map(record => record.fields.text)).toEqual(items.map((_, i) => String(i)))
    const times = items.map(record => record.inserted_at)
    expect(new Set(times).size).toBe(50)
    expect(times).toEqual(times.toSorted())
  })

  test.each(ACCEPTED_FIELDS)('may have $why', async ({ given, stored = given }) => {
    const record = await aRecord(world, dataset, { fields: { text: 'A', ...given } })
    expect(record.fields).toMatchObject(stored)
    expect((await readRecord(world, record.id)).fields).toEqual({ text: 'A', ...stored })
  })

  test.each([{ embed: [0, 0, 0] }, { embed: [1e300, -1e300, 0] }, {}])('may have the vectors %j', async vectors => {
    expect((await readRecord(world, (await aRecord(world, dataset, { vectors })).id)).vectors).toEqual(vectors)
  })
})

describe('a record is refused for', () => {
  test.each([...REFUSED_FIELDS, ...REFUSED_METADATA, ...REFUSED_VECTORS])(
    '$why, and with it the whole call',
    async ({ item }) => {
      const before = await total()
      const answer = await create(GOOD, item, GOOD)
      expectRefused(answer)
      expect((answer.body as unknown as { detail: string }).detail).toMatch(/\b1\b/)
      expect(await total()).toBe(before)
    },
  )

  test.each([
    ['a number in a field', { fields: { text: 3 } }, ['string_type', 'list_type', 'dict_type']],
    ['true in a field', { fields: { text: true } }, ['string_type', 'list_type', 'dict_type']],
  ])('%s: each variant says why', async (_, item, types) => {
    const answer = await create(item)
    const { errors } = (answer.body as unknown as { detail: { params: { errors: { type: string; loc: unknown[] }[] } } }).detail
      .params
    expect(errors.map(({ type }) => type)).toEqual(types)
    for (const { loc } of errors) expect(loc).toEqual([...at('fields', 'text'), expect.any(String)])
  })

  test.each([
    ['no role', [{ content: 'a' }]],
    ['an empty role', [{ role: '', content: 'a' }]],
    ['a role of 21 characters', [{ role: 'r'.repeat(21), content: 'a' }]],
    ['no content', [{ role: 'user', content: '' }]],
    ['a content of 20 001 characters', [{ role: 'user', content: 'x'.repeat(20_001) }]],
    ['501 messages', Array.from({ length: 501 }, () => ({ role: 'user', content: 'a' }))],
    ['texts as messages', ['Hi']],
  ])('messages with %s, whatever the field', async (_, value) => {
    for (const field of ['talk', 'text']) {
      expectProblems(await create({ fields: { text: 'a', [field]: value } }), [['value_error', 'body', 'items', 0, 'fields']])
    }
  })

  test('a body of the wrong shape, each part at its place', async () => {
    expectProblems(await create({ metadata: [], vectors: { embed: null }, responses: {} }), [
      ['missing', 'body', 'items', 0, 'fields'],
      ['dict_type', 'body', 'items', 0, 'metadata'],
      ['list_type', 'body', 'items', 0, 'vectors', 'embed'],
      ['list_type', 'body', 'items', 0, 'responses'],
    ])
    expectProblem(
      await create({ ...GOOD, vectors: { embed: [1, 'x', 3] } }),
      'float_parsing',
      'body',
      'items',
      0,
      'vectors',
      'embed',
      1,
    )
  })

  test('an external id that exists', async () => {
    await create({ ...GOOD, external_id: 'taken' })
    const before = await total()
    expectRefused(await create({ ...GOOD, external_id: 'free' }, { ...GOOD, external_id: 'taken' }))
    expect(await total()).toBe(before)
    const other = await aDataset(world, SMALL)
    expect((await aRecord(world, other, { external_id: 'taken' })).external_id).toBe('taken')
  })

  test('extra metadata where the dataset takes none', async () => {
    const strict = await aDataset(world, { ...SMALL, allow_extra_metadata: false })
    expectRefused(await world.owner.send(`POST ${strict.path}/records/bulk`, { items: [{ ...GOOD, metadata: { extra: 1 } }] }))
  })
})

describe('responses of a new record', () => {
  const respond = (...responses: object[]) => create({ ...GOOD, responses })

  test('are of users that exist, members or not', async () => {
    const record = first((await respond({ user_id: world.strangerAnnotator.id, ...draft() })).body.items)
    expect(record.responses).toMatchObject([{ user_id: world.strangerAnnotator.id, status: 'draft' }])
    expectRefused(await respond({ user_id: NO_ID, ...draft() }))
  })

  test('are one per user', async () => {
    const user_id = world.owner.id
    expectProblems(await respond({ user_id, ...draft() }, { user_id, ...submitted() }), [
      ['value_error', 'body', 'items', 0, 'responses'],
    ])
  })

  test('need values unless discarded, which then are empty', async () => {
    const user_id = world.owner.id
    for (const status of ['submitted', 'draft']) {
      expectProblems(await respond({ user_id, status }), [['missing', 'body', 'items', 0, 'responses', 0, status, 'values']])
    }
    for (const values of [null, undefined]) {
      const record = first((await respond({ user_id, status: 'discarded', values })).body.items)
      expect(first(record.responses).values).toEqual({})
    }
  })

  test('complete it when enough are submitted', async () => {
    const two = await aDataset(world, { ...SMALL, min_submitted: 2 })
    const users = [world.owner, world.memberAdmin, await aMember(world)]
    const item = (...bodies: object[]) => ({ responses: bodies.map((body, i) => ({ user_id: users[i]?.id, ...body })) })
    expect((await aRecord(world, two, item(submitted(), draft(), { status: 'discarded' }))).status).toBe('pending')
    expect((await aRecord(world, two, item(submitted(), submitted()))).status).toBe('completed')
    expect((await aRecord(world, two, item(submitted(), submitted(), submitted()))).status).toBe('completed')
  })
})

describe('the older way', () => {
  const old = (items: object[]) => world.owner.send(`POST ${dataset.path}/records`, { items })

  test('stores up to 1000 records and answers nothing', async () => {
    const before = await total()
    const answer = await old(Array.from({ length: 1000 }, () => GOOD))
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await total()).toBe(before + 1000)
  })

  test('checks like the newer one, and stores all or nothing', async () => {
    const before = await total()
    expectRefused(await old([GOOD, { fields: { nothing: 'x' } }]))
    expectRefused(await old([{ ...GOOD, external_id: 'taken' }]))
    expectProblems(
      await old([
        { ...GOOD, external_id: 'a' },
        { ...GOOD, external_id: 'a' },
      ]),
      [['value_error', 'body', 'items']],
    )
    expect(await total()).toBe(before)
    expect((await old([{ ...GOOD, external_id: 'old', responses: [{ user_id: world.owner.id, ...submitted() }] }])).status).toBe(
      204,
    )
    const { items } = await world.owner.done<{ items: DatasetRecord[] }>(
      `GET ${dataset.path}/records?limit=1000&offset=${before}`,
    )
    expect(items).toMatchObject([{ external_id: 'old', status: 'completed' }])
  })
})
