/** Search features beyond the 1.x API: highlights, existence filters, more response filters, and counts. */
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordCounts } from '@postil/domain/search/counts'
import { beforeAll, describe, expect, test } from 'vitest'
import { addAnsweredRecords } from './answered-records.ts'
import { expectProblem, expectRefused, type ShapeProblemAt } from './answers.ts'
import { aDataset, type BuiltDataset, first, SMALL_DRAFT } from './datasets.ts'
import { type Caller, sharedWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
let records: DatasetRecord[]
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
  records = await addAnsweredRecords(world, dataset)
  await world.memberAnnotator.done(`PUT /me/records/${records[2]?.id}/flag`)
})

type Hit = { record: DatasetRecord; query_score: number | null; highlights?: unknown }
type Found = { items: Hit[]; total: number }
interface Options {
  me?: boolean
  query?: string
}
const search = (body: unknown, { me = false, query = '' }: Options = {}) => {
  const caller = me ? world.memberAnnotator : world.owner
  return caller.send<Found>(`POST ${me ? '/me' : ''}${dataset.path}/records/search${query}`, body)
}
const BY_AGE = [{ scope: { entity: 'record', property: 'inserted_at' }, order: 'asc' }]
const found = async (filter: object, options: Options = {}) => {
  const { body, status, text } = await search({ filters: { and: [filter] }, sort: BY_AGE }, options)
  expect({ status, text }).toMatchObject({ status: 200 })
  return body.items.map(({ record }) => records.findIndex(({ id }) => id === record.id)).join('')
}

describe('highlights', () => {
  const green = { query: { text: { q: 'green -tart' } }, sort: BY_AGE }

  test('are given when asked for, in code points, of a chat by message', async () => {
    for (const me of [false, true]) {
      const { body } = await search(green, { me, query: '?highlight=true' })
      expect(body.items.map(({ highlights }) => highlights)).toEqual([
        {
          text: [
            [2, 7],
            [16, 21],
          ],
          talk: [{ message: 1, ranges: [[2, 7]] }],
        },
        { text: [[0, 5]] },
      ])
    }
  })

  test('are of the field that is searched', async () => {
    const body = { query: { text: { q: 'green', field: 'talk' } } }
    expect(first((await search(body, { query: '?highlight=true' })).body.items).highlights).toEqual({
      talk: [{ message: 1, ranges: [[2, 7]] }],
    })
  })

  test('are empty without a text', async () => {
    const { body } = await search({}, { query: '?highlight=true' })
    expect(body.items.map(({ highlights }) => highlights)).toEqual([{}, {}, {}, {}])
  })

  test('are not in answers to who does not ask', async () => {
    const { body } = await search(green)
    for (const hit of body.items) expect(Object.keys(hit)).toEqual(['record', 'query_score'])
    const marked = (await search(green, { query: '?highlight=true' })).body
    expect(marked.items.map(({ record, query_score }) => ({ record, query_score }))).toEqual(body.items)
    expect((await search(green, { query: '?highlight=false' })).body).toEqual(body)
  })
})

describe('a filter', () => {
  const terms = (scope: object, ...values: string[]) => ({ type: 'terms', scope, values })
  const exists = (scope: object, exists: unknown = true) => ({ type: 'exists', scope, exists })
  const metadata = (metadata_property: string) => ({ entity: 'metadata', metadata_property })
  const suggestion = (question?: string | null) => ({ entity: 'suggestion', ...(question === undefined ? {} : { question }) })
  const response = (question?: string | null) => ({ entity: 'response', ...(question === undefined ? {} : { question }) })
  const flag = { entity: 'record', property: 'flag' }

  test.each<[filter: object, all: string, own?: string]>([
    [terms(suggestion('spots'), 'person'), '0'],
    [terms(suggestion('spots'), 'Person'), ''],
    [terms(response('spots'), 'place'), '0'],
    [terms(response('spots'), 'person'), ''],
    [terms(suggestion('order'), 'b'), '0'],
    [terms(suggestion('order'), 'a'), ''],
    [terms(response('order'), 'a'), '1', ''],
    [{ type: 'range', scope: suggestion('spots'), ge: 'a' }, ''],
    [exists(metadata('source')), '012'],
    [exists(metadata('source'), false), '3'],
    [exists(metadata('length'), false), '3'],
    [exists(suggestion()), '012'],
    [exists(suggestion(null), false), '3'],
    [exists(suggestion('comment')), '1'],
    [exists(suggestion('spots')), '02'],
    [exists(suggestion('spots'), false), '13'],
    [exists(response()), '01', '0'],
    [exists(response(null), false), '23', '123'],
    [exists(response('comment')), '0'],
    [exists(response('comment'), false), '123'],
    [exists(response('order')), '1', ''],
    [exists(flag), '2'],
    [exists(flag, false), '013'],
    [exists(flag, 'true'), '2'],
  ])('%j finds %s, and %s by what is the caller’s', async (filter, all, own = all) => {
    expect([await found(filter), await found(filter, { me: true })]).toEqual([all, own])
  })

  test('on flags of others finds nothing for oneself', async () => {
    const { body } = await world.owner.send<Found>(`POST /me${dataset.path}/records/search`, { filters: { and: [exists(flag)] } })
    expect(body.total).toBe(0)
  })

  test.each([exists(metadata('nothing')), exists(suggestion('nothing')), exists(response('nothing'))])(
    '%j is refused',
    async filter => {
      for (const me of [false, true]) expectRefused(await search({ filters: { and: [filter] } }, { me }))
    },
  )

  test('does not know hidden properties', async () => {
    expectRefused(await search({ filters: { and: [exists(metadata('hidden'))] } }, { me: true }))
    expect(await found(exists(metadata('hidden')))).toBe('0')
  })

  const at = ['body', 'filters', 'and', 0, 'exists']
  test.each<[object, ShapeProblemAt]>([
    [{ type: 'exists', scope: flag }, ['missing', ...at, 'exists']],
    [exists(flag, 'maybe'), ['bool_parsing', ...at, 'exists']],
    [exists({ entity: 'user' }), ['union_tag_invalid', ...at, 'scope']],
    [exists({ entity: 'record', property: 'status' }), ['literal_error', ...at, 'scope', 'record', 'property']],
  ])('%j is no filter: %j', async (filter, problem) => {
    expectProblem(await search({ filters: { and: [filter] } }), ...problem)
  })
})

describe('counts', () => {
  const count = (body: unknown, caller: Caller = world.memberAnnotator) =>
    caller.send<RecordCounts>(`POST /me${dataset.path}/records/counts`, body)
  const counted = async (body: unknown, caller?: Caller) => {
    const { status, body: counts, text } = await count(body, caller)
    expect({ status, text }).toMatchObject({ status: 200 })
    return counts
  }
  const source = { entity: 'metadata', metadata_property: 'source' }
  const web = { type: 'terms', scope: source, values: ['web'] }

  test('are of the caller’s queues', async () => {
    expect(await counted({})).toEqual({
      total: 4,
      by_status: { pending: 3, draft: 0, discarded: 0, submitted: 1 },
      targets: [],
    })
    expect(await counted({}, world.owner)).toMatchObject({ by_status: { pending: 2, draft: 1, discarded: 0, submitted: 0 } })
    expect(await counted({ filters: { and: [web] }, response_status: 'submitted' })).toMatchObject({
      total: 1,
      by_status: { pending: 1, draft: 0, discarded: 0, submitted: 1 },
    })
  })

  test('agree with the totals of searches in the queues', async () => {
    for (const query of [null, { text: { q: 'green' } }]) {
      const { by_status } = await counted({ query })
      for (const [queue, size] of Object.entries(by_status)) {
        const statuses = [{ type: 'terms', scope: { entity: 'response', property: 'status' }, values: [queue] }]
        const open = { type: 'terms', scope: { entity: 'record', property: 'status' }, values: ['pending'] }
        const { body } = await search(
          { query, filters: { and: queue === 'pending' ? [...statuses, open] : statuses } },
          { me: true },
        )
        expect([queue, body.total]).toEqual([queue, size])
      }
    }
  })

  test('stand beside the values of a filter, which may be left out of its own', async () => {
    const body = { filters: { and: [web] }, of: [source, { entity: 'suggestion', question: 'spots' }] }
    const values = (counts: RecordCounts) => counts.targets.map(target => ('values' in target ? target.values : null))
    expect(values(await counted(body))).toEqual([
      [
        { value: 'web', count: 2 },
        { value: 'mail', count: 1 },
      ],
      [
        { value: 'person', count: 1 },
        { value: 'place', count: 1 },
      ],
    ])
    expect(values(await counted({ ...body, exclude_own: true }))[0]).toEqual([
      { value: 'mail', count: 2 },
      { value: 'web', count: 2 },
    ])
  })

  test('of numbers come in buckets, and targets as they were asked for', async () => {
    const of = [
      { entity: 'metadata', metadata_property: 'length' },
      { entity: 'suggestion', question: 'spots', property: 'score' },
      { entity: 'suggestion', question: 'mood', property: 'agent' },
      { entity: 'response', question: 'mood' },
    ]
    const { targets } = await counted({ of })
    expect(targets.map(({ target }) => target)).toEqual(of)
    expect(targets[0]).toMatchObject({ min: 5, max: 9 })
    const buckets = (i: number) => {
      const target = targets[i]
      return target !== undefined && 'buckets' in target ? target.buckets.filter(bucket => bucket.count > 0) : []
    }
    expect(buckets(0)).toEqual([5, 6, 9].map(number => ({ from: number, to: number, count: 1 })))
    expect(buckets(1)).toEqual([
      { from: 0.15, to: 0.2, count: 1 },
      { from: 0.95, to: 1, count: 1 },
    ])
    expect(targets.slice(2)).toMatchObject([
      {
        values: [
          { value: 'a1', count: 1 },
          { value: 'a2', count: 1 },
        ],
        other: 0,
      },
      { values: [{ value: 'happy', count: 1 }], other: 0 },
    ])
  })

  test.each([
    { of: [{ entity: 'metadata', metadata_property: 'hidden' }] },
    { of: [{ entity: 'metadata', metadata_property: 'nothing' }] },
    { of: [{ entity: 'suggestion', question: 'nothing' }] },
    { of: [{ entity: 'response', question: 'comment' }] },
    { filters: { and: [{ type: 'terms', scope: { entity: 'metadata', metadata_property: 'hidden' }, values: ['x'] }] } },
    { query: { text: { q: 'a', field: 'nothing' } } },
  ])('of %j are refused', async body => {
    expectRefused(await count(body))
  })

  test('of a hidden property are for those who see it', async () => {
    const { targets } = await counted({ of: [{ entity: 'metadata', metadata_property: 'hidden' }] }, world.memberAdmin)
    expect(targets).toMatchObject([{ values: [{ value: 'x', count: 1 }] }])
  })

  test('of a draft are none', async () => {
    const { path } = await aDataset(world, SMALL_DRAFT)
    const { body } = await world.owner.send<RecordCounts>(`POST /me${path}/records/counts`, {
      of: [{ entity: 'suggestion', question: 'mood' }],
    })
    expect(body).toMatchObject({ total: 0, by_status: { pending: 0 }, targets: [{ values: [], other: 0 }] })
  })
})
