/** Changing records one by one and with the 1.x bulk route, and deleting them. */
import type { DatasetRecord } from '@postil/domain/records'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused } from './answers.ts'
import { aDataset, addRecords, aRecord, type BuiltDataset, draft, idOf, readRecord, SMALL, submitted } from './datasets.ts'
import { fresh, NO_ID, sharedWorld, type World } from './http.ts'
import { REFUSED_FIELDS, REFUSED_METADATA, REFUSED_VECTORS } from './record-cases.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
})

const suggest = (name: string, value: unknown) => ({ question_id: idOf(dataset.questions, name), value })
const aFullRecord = () =>
  aRecord(world, dataset, {
    fields: { text: 'A green apple', note: 'old' },
    external_id: fresh('row'),
    metadata: { source: 'web', length: 3 },
    vectors: { embed: [1, 2, 3] },
    suggestions: [suggest('mood', 'sad'), suggest('quality', 3)],
    responses: [{ user_id: world.owner.id, ...draft() }],
  })
const patch = (id: string, body: object) => world.owner.send<DatasetRecord>(`PATCH /records/${id}`, body)
const patched = async (id: string, body: object) => {
  const answer = await patch(id, body)
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  expect(await readRecord(world, id)).toEqual(answer.body)
  return answer.body
}
const later = { updated_at: expect.any(String) }

describe('PATCH of a record', () => {
  test.each([
    { why: 'nothing', body: {}, changed: {} },
    { why: 'what cannot be changed', body: { external_id: 'x', status: 'completed', responses: [], id: NO_ID }, changed: {} },
    { why: 'fields, all of them', body: { fields: { text: 'new' } }, changed: { fields: { text: 'new' } } },
    {
      why: 'messages',
      body: { fields: { text: 'new', talk: [{ role: 'user', content: 'Hi', x: 1 }] } },
      changed: { fields: { text: 'new', talk: [{ role: 'user', content: 'Hi' }] } },
    },
    { why: 'metadata, all of it', body: { metadata: { weight: 1 } }, changed: { metadata: { weight: 1 } } },
    { why: 'null metadata', body: { metadata: null }, changed: { metadata: null } },
    { why: 'one vector', body: { vectors: { other: [1, 2] } }, changed: { vectors: { embed: [1, 2, 3], other: [1, 2] } } },
    { why: 'no vectors', body: { vectors: {} }, changed: {} },
    { why: 'null vectors and suggestions', body: { vectors: null, suggestions: null }, changed: {} },
    { why: 'no suggestions', body: { suggestions: [] }, changed: { suggestions: [] } },
  ])('changes $why', async ({ body, changed }) => {
    const record = await aFullRecord()
    expect(await patched(record.id, body)).toEqual({ ...record, ...changed, ...later })
  })

  test('replaces the whole set of suggestions by new ones', async () => {
    const record = await aFullRecord()
    const changed = await patched(record.id, { suggestions: [suggest('mood', 'calm')] })
    expect(changed.suggestions).toMatchObject([suggest('mood', 'calm')])
    expect(record.suggestions?.map(({ id }) => id)).not.toContain(changed.suggestions?.[0]?.id)
  })

  test.each([{ why: 'null fields', item: { fields: null } }, ...REFUSED_FIELDS, ...REFUSED_METADATA, ...REFUSED_VECTORS])(
    'is refused for $why, and changes nothing',
    async ({ item }) => {
      const record = await aFullRecord()
      expectRefused(await patch(record.id, { metadata: { length: 7 }, ...item }))
      expect(await readRecord(world, record.id)).toEqual(record)
    },
  )

  test('is refused for two suggestions to one question, and for a question that is not its own', async () => {
    const record = await aFullRecord()
    const foreign = await aDataset(world, SMALL)
    const bad = [
      [suggest('mood', 'sad'), suggest('mood', 'calm')],
      [{ question_id: NO_ID, value: 'sad' }],
      [{ question_id: idOf(foreign.questions, 'mood'), value: 'sad' }],
      [suggest('mood', 'angry')],
    ]
    for (const suggestions of bad) expectRefused(await patch(record.id, { suggestions }))
    expect(await readRecord(world, record.id)).toEqual(record)
  })

  test('does not change the status', async () => {
    const record = await aRecord(world, dataset, { responses: [{ user_id: world.owner.id, ...submitted() }] })
    expect((await patched(record.id, { fields: { text: 'new' } })).status).toBe('completed')
  })
})

describe('the older PATCH of many', () => {
  const patchMany = (items: object[]) => world.owner.send(`PATCH ${dataset.path}/records`, { items })

  test('changes what is given of each, and answers nothing', async () => {
    const records = [await aFullRecord(), await aFullRecord(), await aFullRecord(), await aFullRecord()]
    const changes = [
      { metadata: null, external_id: 'ignored', status: 'completed', responses: [] },
      { suggestions: [suggest('comment', 'Hm')], vectors: { other: [5, 6] } },
      { suggestions: null, vectors: null, fields: null },
      { fields: { text: 'new' }, suggestions: [] },
    ]
    const answer = await patchMany(records.map(({ id }, i) => ({ id, ...changes[i] })))
    expect([answer.status, answer.text]).toEqual([204, ''])
    const after = await Promise.all(records.map(({ id }) => readRecord(world, id)))
    expect(after).toEqual([
      { ...records[0], metadata: null, ...later },
      {
        ...records[1],
        suggestions: [expect.objectContaining(suggest('comment', 'Hm'))],
        vectors: { embed: [1, 2, 3], other: [5, 6] },
        ...later,
      },
      { ...records[2], ...later },
      { ...records[3], fields: { text: 'new' }, suggestions: [], ...later },
    ])
  })

  test('changes nothing when one of them cannot be changed', async () => {
    const record = await aFullRecord()
    const foreign = await aRecord(world, await aDataset(world, SMALL))
    const good = { id: record.id, metadata: { length: 9 } }
    const others = [{ id: record.id }, { id: foreign.id }, { id: NO_ID }]
    for (const other of others) expectRefused(await patchMany([good, other]))
    const next = await aFullRecord()
    for (const { item } of [...REFUSED_METADATA, ...REFUSED_VECTORS])
      expectRefused(await patchMany([good, { ...item, id: next.id }]))
    expect(await readRecord(world, record.id)).toEqual(record)
    expectProblems(await patchMany([{ id: 'x' }]), [['uuid_parsing', 'body', 'items', 0, 'id']])
  })

  test('takes 1000 records, not 1001', async () => {
    const { items } = {
      items: await addRecords(
        world,
        dataset,
        Array.from({ length: 500 }, () => ({ fields: { text: 'a' } })),
      ),
    }
    const more = await addRecords(
      world,
      dataset,
      Array.from({ length: 500 }, () => ({ fields: { text: 'a' } })),
    )
    const changes = [...items, ...more].map(({ id }) => ({ id, metadata: { length: 1 } }))
    expect((await patchMany(changes)).status).toBe(204)
    expectProblems(await patchMany([...changes, { id: NO_ID }]), [['too_long', 'body', 'items']])
  })
})

describe('deleting', () => {
  const remove = (ids: string) => world.owner.send(`DELETE ${dataset.path}/records?ids=${ids}`)

  test('one record answers it without relations, once', async () => {
    const { responses, suggestions, vectors, ...record } = await aFullRecord()
    expect([responses?.length, suggestions?.length, Object.keys(vectors ?? {}).length]).toEqual([1, 2, 1])
    expect(await world.owner.done(`DELETE /records/${record.id}`)).toEqual(record)
    expectRefused(await world.owner.send(`DELETE /records/${record.id}`), 404)
    expectRefused(await world.owner.send(`DELETE /responses/${responses?.[0]?.id}`), 404)
    expectRefused(await world.owner.send(`DELETE /suggestions/${suggestions?.[0]?.id}`), 404)
    expect((await aRecord(world, dataset, { external_id: record.external_id })).external_id).toBe(record.external_id)
  })

  test('many leaves out ids that are not of this dataset', async () => {
    const [one, two, stays] = [await aFullRecord(), await aFullRecord(), await aFullRecord()]
    const foreign = await aRecord(world, await aDataset(world, SMALL))
    const spelled = one.id.toUpperCase().replaceAll('-', '')
    const answer = await remove([spelled, two.id, two.id, NO_ID, foreign.id].join(','))
    expect([answer.status, answer.text]).toEqual([204, ''])
    for (const { id } of [one, two]) expectRefused(await world.owner.send(`GET /records/${id}`), 404)
    for (const { id } of [stays, foreign]) expect((await world.owner.send(`GET /records/${id}`)).status).toBe(200)
  })

  test.each([
    ['nothing', ''],
    ['something that is no id', `${NO_ID},x`],
    ['an empty piece', `${NO_ID},,${NO_ID}`],
    ['101 pieces', Array(101).fill(NO_ID).join(',')],
  ])('%s is refused', async (_, ids) => {
    expectRefused(await remove(ids))
  })

  test('100 pieces is fine', async () => {
    expect((await remove(Array(100).fill(NO_ID).join(','))).status).toBe(204)
  })
})
