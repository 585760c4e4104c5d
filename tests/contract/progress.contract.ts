/** Counts: progress of a dataset and its users, the caller's metrics, metadata metrics, and when the status is recomputed. */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { Dataset, DatasetMetrics, DatasetProgress, DatasetUsersProgress } from '@postil/domain/datasets'
import type { DatasetRecord } from '@postil/domain/records'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  ALL_PROPERTIES,
  aDataset,
  addRecords,
  type BuiltDataset,
  draft,
  idOf,
  readRecord,
  SMALL,
  SMALL_DRAFT,
  submitted,
} from './datasets.ts'
import { aMember, type Caller, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const progressOf = ({ path }: BuiltDataset) => world.memberAnnotator.done<DatasetProgress>(`GET ${path}/progress`)
const usersOf = ({ path }: BuiltDataset) => world.memberAnnotator.done<DatasetUsersProgress>(`GET ${path}/users/progress`)
const metricsOf = ({ path }: BuiltDataset, caller: Caller) => caller.done<DatasetMetrics>(`GET /me${path}/metrics`)
const texts = (count: number, given: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ fields: { text: `t${i}` }, ...given }))
const respond = (caller: Caller, record: DatasetRecord | undefined, body: object) =>
  caller.done(`POST /records/${record?.id}/responses`, body)

test('a draft counts nothing', async () => {
  const dataset = await aDataset(world, SMALL_DRAFT)
  expect(await progressOf(dataset)).toEqual({ total: 0, completed: 0, pending: 0, users: [] })
  expect(await usersOf(dataset)).toEqual({ users: [] })
  expect(await metricsOf(dataset, world.owner)).toEqual({
    records: { count: 0 },
    responses: { count: 0, total: 0, submitted: 0, discarded: 0, draft: 0, pending: 0 },
  })
})

test('today counts each record that is submitted once, whatever happened to it before', async () => {
  const dataset = await aDataset(world, SMALL)
  const records = await addRecords(world, dataset, texts(5))
  const own = await aMember(world)
  const today = async () => {
    const query = `include=pace&utc_offset=${-new Date().getTimezoneOffset()}`
    const { pace } = await own.done<DatasetWithIncludes>(`GET ${dataset.path}?${query}`)
    const { items } = await own.done<{ items: DatasetWithIncludes[] }>(`GET /me/datasets?${query}`)
    expect(items.find(({ id }) => id === dataset.id)?.pace).toEqual(pace)
    expect(pace?.median_seconds).toBeNull()
    return pace?.today
  }
  const write = (at: number, body: object) =>
    own.done('POST /me/responses/bulk', { items: [{ record_id: records[at]?.id, ...body }] })
  expect(await today()).toBe(0)
  await write(3, submitted())
  await write(4, submitted())
  expect(await today()).toBe(2)
  // Again, as another browser would.
  await write(3, submitted('sad'))
  await write(0, draft())
  await write(1, { status: 'discarded' })
  expect(await today()).toBe(2)
  await write(4, { status: 'discarded' })
  await write(0, submitted())
  await write(1, submitted())
  expect(await today()).toBe(3)
  const { responses = [] } = await readRecord(world, records[3]?.id ?? '')
  for (const { id, user_id } of responses) if (user_id === own.id) await own.done(`DELETE /responses/${id}`)
  expect(await today()).toBe(2)
})

describe('with two people on the same records', () => {
  let dataset: BuiltDataset
  let records: DatasetRecord[]
  let ben: Caller
  let ana: Caller
  beforeAll(async () => {
    dataset = await aDataset(world, SMALL)
    records = await addRecords(world, dataset, texts(5))
    ben = await aMember(world)
    ana = await aMember(world)
    await respond(ana, records[0], submitted())
    await respond(ben, records[0], { status: 'discarded' })
    await respond(ben, records[1], draft())
    await respond(ana, records[1], { status: 'discarded' })
    await respond(ana, records[2], submitted())
  })

  test('progress counts records, and names people in the order they came', async () => {
    expect(await progressOf(dataset)).toEqual({
      total: 5,
      completed: 2,
      pending: 3,
      users: [{ username: ana.username }, { username: ben.username }],
    })
  })

  test('progress of users counts responses by both statuses, oldest account first', async () => {
    const none = { submitted: 0, discarded: 0, draft: 0 }
    expect(await usersOf(dataset)).toEqual({
      users: [
        { username: ben.username, completed: { ...none, discarded: 1 }, pending: { ...none, draft: 1 } },
        { username: ana.username, completed: { ...none, submitted: 2 }, pending: { ...none, discarded: 1 } },
      ],
    })
  })

  test('one’s own metrics count one’s own responses', async () => {
    const records = { count: 5 }
    expect(await metricsOf(dataset, ana)).toEqual({
      records,
      responses: { count: 3, total: 5, submitted: 2, discarded: 1, draft: 0, pending: 2 },
    })
    expect(await metricsOf(dataset, ben)).toEqual({
      records,
      responses: { count: 2, total: 5, submitted: 0, discarded: 1, draft: 1, pending: 3 },
    })
    expect(await metricsOf(dataset, world.owner)).toEqual({
      records,
      responses: { count: 0, total: 5, submitted: 0, discarded: 0, draft: 0, pending: 5 },
    })
  })

  test('the pending count of a user excludes records that others completed', async () => {
    const left = async (caller: Caller) => {
      const { metrics } = await caller.done<DatasetWithIncludes>(`GET ${dataset.path}?include=metrics`)
      const { items } = await caller.done<{ items: DatasetWithIncludes[] }>('GET /me/datasets?include=metrics')
      expect(items.find(({ id }) => id === dataset.id)?.metrics).toEqual(metrics)
      return metrics?.pending_for_me
    }
    expect([await left(ana), await left(ben), await left(world.owner)]).toEqual([2, 2, 3])
  })

  test('people stay listed when their responses go', async () => {
    const { responses = [] } = await readRecord(world, records[1]?.id ?? '')
    for (const { id } of responses) await world.owner.done(`DELETE /responses/${id}`)
    expect((await progressOf(dataset)).users).toHaveLength(2)
  })

  test('deleted records are no longer counted', async () => {
    await world.owner.done(`DELETE /records/${records[2]?.id}`)
    expect(await progressOf(dataset)).toMatchObject({ total: 4, completed: 1, pending: 3 })
    await world.owner.done(`DELETE ${dataset.path}/records?ids=${records[3]?.id},${records[4]?.id}`)
    expect(await progressOf(dataset)).toMatchObject({ total: 2, completed: 1, pending: 1 })
  })
})

test('people whose responses came with records are listed too', async () => {
  const dataset = await aDataset(world, SMALL)
  const { strangerAnnotator } = world
  await addRecords(world, dataset, texts(1, { responses: [{ user_id: strangerAnnotator.id, ...draft() }] }))
  expect((await progressOf(dataset)).users).toEqual([{ username: strangerAnnotator.username }])
})

describe('the status of records is worked out again', () => {
  const changeTo = (dataset: BuiltDataset, min_submitted: number) =>
    world.owner.done<Dataset>(`PATCH ${dataset.path}`, { distribution: { strategy: 'overlap', min_submitted } })
  const completed = async ({ path }: BuiltDataset) => {
    const body = { filters: { and: [{ type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['completed'] }] } }
    return (await world.owner.done<{ total: number }>(`POST ${path}/records/search`, body)).total
  }

  test('when the number of submitted responses needed changes', async () => {
    const dataset = await aDataset(world, { ...SMALL, min_submitted: 2 })
    const by = (...callers: Caller[]) => ({ responses: callers.map(({ id }) => ({ user_id: id, ...submitted() })) })
    const { owner, memberAdmin, memberAnnotator } = world
    await addRecords(world, dataset, [
      ...texts(2),
      ...texts(3, by(owner)),
      ...texts(4, by(owner, memberAdmin)),
      ...texts(500 - 9, by(owner, memberAdmin, memberAnnotator)),
    ])
    expect(await progressOf(dataset)).toMatchObject({ completed: 495, pending: 5 })
    for (const [needed, expected] of [
      [3, 491],
      [1, 498],
      [4, 0],
      [2, 495],
    ] as const) {
      await changeTo(dataset, needed)
      await vi.waitFor(
        async () => expect(await progressOf(dataset)).toMatchObject({ completed: expected, pending: 500 - expected }),
        5000,
      )
      expect(await completed(dataset)).toBe(expected)
    }
  })

  test('and moves updated_at of those that changed, in filters and sorts too', async () => {
    const dataset = await aDataset(world, { ...SMALL, min_submitted: 2 })
    const [one, two] = await addRecords(world, dataset, [
      ...texts(1, { responses: [{ user_id: world.owner.id, ...submitted() }] }),
      ...texts(1),
    ])
    await changeTo(dataset, 1)
    await vi.waitFor(async () => expect(await progressOf(dataset)).toMatchObject({ completed: 1 }), 5000)
    const after = await readRecord(world, one?.id ?? '')
    expect(after.updated_at > (one?.updated_at ?? '')).toBe(true)
    expect((await readRecord(world, two?.id ?? '')).updated_at).toBe(two?.updated_at)
    const sort = [{ scope: { entity: 'record', property: 'updated_at' }, order: 'desc' }]
    const found = await world.owner.done<{ items: { record: DatasetRecord }[] }>(`POST ${dataset.path}/records/search`, { sort })
    expect(found.items.map(({ record }) => record.id)).toEqual([one?.id, two?.id])
  })

  test('when a user is deleted with their responses, which nothing finds any more', async () => {
    const dataset = await aDataset(world, SMALL)
    const user = await aMember(world)
    const [one, two] = await addRecords(world, dataset, texts(2))
    await respond(user, one, submitted())
    await respond(user, two, submitted())
    await respond(world.owner, two, submitted('sad'))
    await world.owner.done(`DELETE /users/${user.id}`)

    expect(await progressOf(dataset)).toEqual({ total: 2, completed: 1, pending: 1, users: [{ username: world.owner.username }] })
    expect((await usersOf(dataset)).users.map(({ username }) => username)).toEqual([world.owner.username])
    expect(await readRecord(world, one?.id ?? '')).toMatchObject({ status: 'pending', responses: [] })
    expect(await completed(dataset)).toBe(1)
    const scope = { entity: 'response', question: 'mood' }
    const found = (values: string[]) =>
      world.owner.done<{ total: number }>(`POST ${dataset.path}/records/search`, {
        filters: { and: [{ type: 'terms', scope, values }] },
      })
    expect([(await found(['happy'])).total, (await found(['sad'])).total]).toEqual([0, 1])
  })
})

describe('metrics of metadata', () => {
  const metricsOfProperty = (dataset: BuiltDataset, name: string) =>
    world.owner.done(`GET /metadata-properties/${idOf(dataset.properties, name)}/metrics`)

  test('of a draft and of no records are empty', async () => {
    for (const options of [SMALL_DRAFT, SMALL]) {
      const dataset = await aDataset(world, { ...options, properties: ALL_PROPERTIES })
      expect(await metricsOfProperty(dataset, 'source')).toEqual({ type: 'terms', total: 0, values: [] })
      expect(await metricsOfProperty(dataset, 'length')).toEqual({ type: 'integer', min: null, max: null })
      expect(await metricsOfProperty(dataset, 'weight')).toEqual({ type: 'float', min: null, max: null })
    }
  })

  test('count terms, and find the smallest and largest number', async () => {
    const dataset = await aDataset(world, { ...SMALL, properties: ALL_PROPERTIES })
    const metadata = [
      { source: ['web', 'mail'], length: 7, weight: 100000.123456, hidden: 7 },
      { source: 'web', length: 0, weight: -1.25, hidden: true },
      { source: 'book', hidden: 'a' },
      { source: null, hidden: [2.5, 'a', null] },
      {},
      null,
    ]
    await addRecords(
      world,
      dataset,
      metadata.map(given => ({ fields: { text: 'a' }, metadata: given })),
    )
    const count = (term: string, count: number) => ({ term, count })
    expect(await metricsOfProperty(dataset, 'source')).toEqual({
      type: 'terms',
      total: 4,
      values: [count('web', 2), count('book', 1), count('mail', 1)],
    })
    expect(await metricsOfProperty(dataset, 'hidden')).toEqual({
      type: 'terms',
      total: 5,
      values: [count('a', 2), count('2.5', 1), count('7', 1), count('true', 1)],
    })
    expect(await metricsOfProperty(dataset, 'length')).toEqual({ type: 'integer', min: 0, max: 7 })
    expect(await metricsOfProperty(dataset, 'weight')).toEqual({ type: 'float', min: -1.25, max: 100000.125 })
  })

  test('count all terms, and list the most frequent 16,384 of them', async () => {
    const dataset = await aDataset(world, { ...SMALL, properties: ALL_PROPERTIES })
    const source = Array.from({ length: 16_400 }, (_, index) => `term ${index}`)
    await addRecords(world, dataset, [
      { fields: { text: 'a' }, metadata: { hidden: source } },
      { fields: { text: 'b' }, metadata: { hidden: 'term 16399' } },
    ])
    const metrics = (await metricsOfProperty(dataset, 'hidden')) as { total: number; values: { term: string; count: number }[] }
    expect([metrics.total, metrics.values.length]).toEqual([16_401, 16_384])
    expect(metrics.values[0]).toEqual({ term: 'term 16399', count: 2 })
  })
})
