/** Changing records: upsert, single updates and the 1.x bulk route; what each leaves unchanged, and when updated_at changes. */
import type { DatasetRecord, RecordsBulk } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused } from './answers.ts'
import { aDataset, aRecord, type BuiltDataset, draft, first, idOf, readRecord, SMALL, submitted } from './datasets.ts'
import { fresh, NO_ID, sharedWorld, type World } from './http.ts'
import { REFUSED_FIELDS, REFUSED_METADATA, REFUSED_VECTORS } from './record-cases.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
})

const suggest = (name: string, value: unknown) => ({ question_id: idOf(dataset.questions, name), value })

/** Adds a record with one of everything. */
const aFullRecord = () =>
  aRecord(world, dataset, {
    fields: { text: 'A green apple', note: 'old' },
    external_id: fresh('row'),
    metadata: { source: 'web', length: 3 },
    vectors: { embed: [1, 2, 3], other: [1, 2] },
    suggestions: [suggest('mood', 'sad'), suggest('quality', 3)],
    responses: [{ user_id: world.owner.id, ...draft() }],
  })

const upsert = (...items: object[]) => world.owner.send<RecordsBulk>(`PUT ${dataset.path}/records/bulk`, { items })
const upserted = async (...items: object[]) => {
  const answer = await upsert(...items)
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  for (const record of new Map(answer.body.items.map(record => [record.id, record])).values()) {
    expect(await readRecord(world, record.id)).toEqual(record)
  }
  return first(answer.body.items)
}
const suggestionsOf = (record: DatasetRecord) =>
  Object.fromEntries((record.suggestions ?? []).map(({ question_id, value }: Suggestion) => [question_id, value]))

describe('upsert finds its record', () => {
  test('by id, then by external id, else it makes one with an id of our own', async () => {
    const [one, two] = [await aFullRecord(), await aFullRecord()]
    expect((await upserted({ id: one.id, metadata: { length: 7 } })).id).toBe(one.id)
    expect((await upserted({ external_id: one.external_id, metadata: { length: 8 } })).id).toBe(one.id)
    expect((await upserted({ id: null, external_id: one.external_id })).id).toBe(one.id)

    const both = await upserted({ id: one.id, external_id: two.external_id, metadata: { length: 9 } })
    expect(both).toMatchObject({ id: one.id, external_id: one.external_id, metadata: { length: 9 } })
    expect(await readRecord(world, two.id)).toEqual(two)

    const made = await upserted({ id: NO_ID, external_id: fresh('row'), fields: { text: 'new' } })
    expect(made.id).not.toBe(NO_ID)
    expect(made.inserted_at).toBe(made.updated_at)
  })

  test('in its own dataset only', async () => {
    const foreign = await aRecord(world, await aDataset(world, SMALL), { external_id: 'foreign' })
    const made = await upserted({ id: foreign.id, external_id: 'foreign', fields: { text: 'mine' } })
    expect(made.id).not.toBe(foreign.id)
    expect((await readRecord(world, foreign.id)).fields).toEqual({ text: 'A green apple' })
  })

  test('and leaves its external id as it was', async () => {
    const record = await aFullRecord()
    expect((await upserted({ id: record.id, external_id: fresh('other') })).external_id).toBe(record.external_id)
    expect((await upserted({ id: record.id, external_id: null })).external_id).toBe(record.external_id)
    const bare = await aRecord(world, dataset)
    expect((await upserted({ id: bare.id, external_id: fresh('other') })).external_id).toBeNull()
  })

  test('twice in one call: applied in order, shown twice', async () => {
    const { id } = await aFullRecord()
    const answer = await upsert({ id, metadata: { length: 1 } }, { id, metadata: { length: 2 } }, { fields: { text: 'new' } })
    expect(answer.body.items.map(record => record.id).slice(0, 2)).toEqual([id, id])
    expect(answer.body.items).toHaveLength(3)
    expect((await readRecord(world, id)).metadata).toEqual({ length: 2 })
  })

  test('and says which were there before', async () => {
    const { id } = await aFullRecord()
    const { body } = await upsert({ fields: { text: 'new' } }, { id, metadata: {} })
    expect(body.updated_item_ids ?? [id]).toEqual([id])
  })
})

describe('upsert of an existing record', () => {
  const keep = (record: DatasetRecord, given: object) => ({ ...record, ...given, updated_at: expect.any(String) })

  test.each([
    { why: 'nothing but its id', given: {}, changed: {} },
    { why: 'null fields', given: { fields: null, metadata: { length: 5 } }, changed: { metadata: { length: 5 } } },
    { why: 'no fields', given: { fields: {} }, changed: {} },
    { why: 'other fields, all of them', given: { fields: { text: 'new' } }, changed: { fields: { text: 'new' } } },
    { why: 'other metadata, all of it', given: { metadata: { weight: 1.5 } }, changed: { metadata: { weight: 1.5 } } },
    { why: 'null metadata', given: { metadata: null }, changed: { metadata: null } },
    { why: 'empty lists', given: { suggestions: [], responses: [], vectors: {} }, changed: {} },
    { why: 'null lists', given: { suggestions: null, responses: null, vectors: null }, changed: {} },
    {
      why: 'all vectors',
      given: { vectors: { other: [3, 4], embed: [7, 8, 9] } },
      changed: { vectors: { embed: [7, 8, 9], other: [3, 4] } },
    },
    { why: 'one vector', given: { vectors: { other: [3, 4] } }, changed: { vectors: { embed: [1, 2, 3], other: [3, 4] } } },
  ])('with $why', async ({ given, changed }) => {
    const record = await aFullRecord()
    expect(await upserted({ id: record.id, ...given })).toEqual(keep(record, changed))
  })

  test('with suggestions: one per question, others stay', async () => {
    const record = await aFullRecord()
    const changed = await upserted({ id: record.id, suggestions: [suggest('mood', 'calm'), suggest('comment', 'Hm')] })
    const idsOf = ({ suggestions = [] }: DatasetRecord) => suggestions.map(({ id }) => id)
    expect(suggestionsOf(changed)).toEqual({
      [idOf(dataset.questions, 'mood')]: 'calm',
      [idOf(dataset.questions, 'quality')]: 3,
      [idOf(dataset.questions, 'comment')]: 'Hm',
    })
    expect(idsOf(changed).slice(0, 2)).toEqual(idsOf(record))
  })

  test('with responses: one per user, others stay, and the status follows', async () => {
    const record = await aFullRecord()
    const user_id = world.memberAnnotator.id
    const more = await upserted({ id: record.id, responses: [{ user_id, ...submitted('calm') }] })
    expect(more.status).toBe('completed')
    expect(more.responses?.map(response => response.user_id)).toEqual([world.owner.id, user_id])
    const less = await upserted({ id: record.id, responses: [{ user_id, status: 'discarded' }] })
    expect(less).toMatchObject({
      status: 'pending',
      responses: [{}, { id: more.responses?.[1]?.id, status: 'discarded', values: {} }],
    })
  })

  test('checks spans against the text that will be stored', async () => {
    const record = await aFullRecord()
    const spans = (start: number, end: number) => [suggest('spots', [{ label: 'person', start, end }])]
    expectRefused(await upsert({ id: record.id, fields: { text: 'ab' }, suggestions: spans(0, 5) }))
    await upserted({ id: record.id, fields: { text: 'A longer text than before' }, suggestions: spans(20, 25) })
  })

  test.each([...REFUSED_FIELDS.slice(1), ...REFUSED_METADATA, ...REFUSED_VECTORS])(
    'is refused for $why; nothing is stored',
    async ({ item }) => {
      const record = await aFullRecord()
      expectRefused(await upsert({ id: record.id, metadata: { length: 99 } }, { ...item, external_id: record.external_id }))
      expect(await readRecord(world, record.id)).toEqual(record)
    },
  )

  test('a new one needs fields', async () => {
    for (const item of [{ external_id: fresh('row') }, { fields: null, metadata: {} }, { fields: {}, metadata: {} }]) {
      expectRefused(await upsert(item))
    }
    expectProblems(await upsert({}), [['missing', 'body', 'items', 0, 'fields']])
    expectProblems(await upsert({ noise: 1 }), [['missing', 'body', 'items', 0, 'fields']])
  })
})

describe('updated_at of a record', () => {
  const moves = async (act: (record: DatasetRecord) => Promise<unknown>) => {
    const record = await aFullRecord()
    await act(record)
    const after = await readRecord(world, record.id)
    expect(after.inserted_at).toBe(record.inserted_at)
    return after.updated_at > record.updated_at
  }

  test.each([
    [
      'the same fields and metadata',
      { fields: { text: 'A green apple', note: 'old' }, metadata: { source: 'web', length: 3 } },
      false,
    ],
    ['other fields', { fields: { text: 'new' } }, true],
    ['other metadata', { metadata: { length: 4 } }, true],
    ['vectors', { vectors: { embed: [9, 9, 9] } }, false],
  ])('after upserting %s moves: %j -> %j', async (_, given, moved) => {
    expect(await moves(({ id }) => upserted({ id, ...given }))).toBe(moved)
  })

  test('stays when only suggestions or responses are upserted, unless the status changes', async () => {
    const user_id = world.memberAnnotator.id
    expect(await moves(({ id }) => upserted({ id, suggestions: [suggest('mood', 'calm')] }))).toBe(false)
    expect(await moves(({ id }) => upserted({ id, responses: [{ user_id, ...draft() }] }))).toBe(false)
    expect(await moves(({ id }) => upserted({ id, responses: [{ user_id, ...submitted() }] }))).toBe(true)
  })

  test('moves with every PATCH that has a known key, and with no other', async () => {
    const patch = (body: object) => moves(({ id }) => world.owner.done(`PATCH /records/${id}`, body))
    expect(await patch({ metadata: { source: 'web', length: 3 } })).toBe(true)
    expect(await patch({ suggestions: [] })).toBe(true)
    expect(await patch({ vectors: { embed: [1, 2, 3] } })).toBe(true)
    expect(await patch({ external_id: 'x', status: 'completed', responses: [] })).toBe(false)
  })

  test('stays with suggestions and responses on their own routes, unless the status changes', async () => {
    expect(await moves(({ id }) => world.owner.done(`PUT /records/${id}/suggestions`, suggest('mood', 'calm')))).toBe(false)
    expect(await moves(({ id }) => world.memberAdmin.done(`POST /records/${id}/responses`, draft()))).toBe(false)
    expect(await moves(({ id }) => world.memberAdmin.done(`POST /records/${id}/responses`, submitted()))).toBe(true)
  })
})
