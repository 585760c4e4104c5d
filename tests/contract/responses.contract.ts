/** Responses: one per record and user, the valid values by status, and the effect on the record. */
import type { RecordResponse, ResponseOfAuthor, ResponsesBulk } from '@postil/domain/responses'
import { beforeAll, describe, expect, test } from 'vitest'
import { SHAPELESS_VALUES, SPAN_TEXT, VALUE_CASES } from './answer-cases.ts'
import { expectForbidden, expectProblem, expectProblems, expectRefused } from './answers.ts'
import { aDataset, aRecord, type BuiltDataset, draft, readRecord, SMALL, submitted } from './datasets.ts'
import { NO_ID, sharedWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
})

const newRecord = async (built = dataset) => (await aRecord(world, built, { fields: { text: SPAN_TEXT } })).id
const post = (recordId: string, body: unknown, caller = world.memberAnnotator) =>
  caller.send<RecordResponse>(`POST /records/${recordId}/responses`, body)
const put = (id: string, body: unknown, caller = world.memberAnnotator) =>
  caller.send<RecordResponse>(`PUT /responses/${id}`, body)
const bulk = (items: object[], caller = world.memberAnnotator) => caller.send<ResponsesBulk>('POST /me/responses/bulk', { items })
const aResponse = async (body: unknown = draft()) => {
  const record_id = await newRecord()
  return { ...(await post(record_id, body)).body, record_id }
}

describe('a response', () => {
  test('is the caller’s, whatever the body says, and one per record', async () => {
    for (const path of ['/records', '/me/records']) {
      const id = await newRecord()
      const create = () => world.memberAnnotator.send(`POST ${path}/${id}/responses`, { ...submitted(), user_id: world.owner.id })
      expect(await create()).toMatchObject({
        status: 201,
        body: { user_id: world.memberAnnotator.id, record_id: id, ...submitted() },
      })
      expectRefused(await create(), 409)
      // The conflict is checked before the values.
      expectRefused(await post(id, submitted('angry')), 409)
    }
  })

  test('is replaced as a whole, to any status and back, and keeps its author', async () => {
    const made = await aResponse({ status: 'draft', values: { comment: { value: 'Hm' }, mood: { value: 'sad' } } })
    for (const body of [submitted('calm'), { status: 'discarded', values: {} }, draft(), submitted()]) {
      for (const caller of [world.memberAnnotator, world.memberAdmin]) {
        const changed = (await put(made.id, body, caller)).body
        expect(changed).toEqual({ ...made, ...body, updated_at: changed.updated_at })
        expect(changed.updated_at > made.updated_at).toBe(true)
      }
    }
  })

  test('is deleted once, and another can follow', async () => {
    const made = await aResponse(submitted())
    expect((await readRecord(world, made.record_id)).status).toBe('completed')
    expect(await world.memberAnnotator.done(`DELETE /responses/${made.id}`)).toEqual(made)
    expectRefused(await world.memberAnnotator.send(`DELETE /responses/${made.id}`), 404)
    expect(await readRecord(world, made.record_id)).toMatchObject({ status: 'pending', responses: [] })
    expect((await post(made.record_id, submitted())).status).toBe(201)
  })

  test('completes its record when it is the last one needed, and reopens it', async () => {
    const two = await aDataset(world, { ...SMALL, min_submitted: 2 })
    const id = await newRecord(two)
    const status = async () => (await readRecord(world, id)).status
    const mine = (await post(id, submitted())).body
    expect(await status()).toBe('pending')
    await post(id, submitted('sad'), world.owner)
    expect(await status()).toBe('completed')
    await post(id, submitted('sad'), world.memberAdmin)
    await put(mine.id, draft())
    expect(await status()).toBe('completed')
    const { responses = [] } = await readRecord(world, id)
    await world.owner.done(`DELETE /responses/${responses[1]?.id}`)
    expect(await status()).toBe('pending')
    await bulk([{ record_id: id, ...submitted() }])
    expect(await status()).toBe('completed')
  })
})

describe('values', () => {
  test.each(VALUE_CASES)('$value for $question -> $ok', async ({ question, value, ok, stored = value }) => {
    for (const status of ['draft', 'discarded', 'submitted']) {
      const answer = await post(await newRecord(), { status, values: { mood: { value: 'sad' }, [question]: { value } } })
      const fits = status === 'submitted' ? ok === true : ok !== false
      if (fits) expect([status, answer.status, answer.body.values?.[question]?.value]).toEqual([status, 201, stored])
      else expectRefused(answer)
    }
  })

  test.each(SHAPELESS_VALUES.map(value => ({ value })))('$value fits no question', async ({ value }) => {
    const answer = await post(NO_ID, { status: 'draft', values: { comment: { value } } })
    expect([answer.status, typeof (answer.body as unknown as { detail: unknown }).detail]).toEqual([422, 'object'])
  })

  test('numbers inside a list become texts', async () => {
    const numbers = await aDataset(world, {
      ...SMALL,
      questions: [
        {
          name: 'mood',
          title: 'M',
          required: true,
          settings: { type: 'multi_label_selection', options: ['1', '2'].map(value => ({ value, text: value })) },
        },
      ],
    })
    const answer = await post(await newRecord(numbers), { status: 'submitted', values: { mood: { value: [1, 2] } } })
    expect(answer.body.values).toEqual({ mood: { value: ['1', '2'] } })
  })

  test('of a submitted response answer every required question; of others, any', async () => {
    const id = await newRecord()
    for (const values of [undefined, null, {}, { comment: { value: 'Hm' } }]) {
      expectRefused(await post(id, { status: 'submitted', values }))
    }
    for (const status of ['draft', 'discarded']) {
      for (const values of [undefined, null, {}]) {
        const answer = await post(await newRecord(), { status, values })
        expect([answer.status, answer.body.values]).toEqual([201, {}])
        expect((await readRecord(world, answer.body.record_id)).responses).toMatchObject([{ values: {} }])
      }
    }
    for (const status of ['draft', 'discarded', 'submitted']) {
      expectRefused(await post(id, { status, values: { mood: { value: 'sad' }, nothing: { value: 'x' } } }))
    }
  })

  test('stand in objects with a value, under names of 1 to 200 characters', async () => {
    expect((await post(NO_ID, { status: 'draft', values: { mood: 'sad' } })).status).toBe(422)
    expectProblems(await post(NO_ID, { status: 'draft', values: { mood: {} } }), [['missing', 'body', 'values', 'mood', 'value']])
    for (const name of ['', 'x'.repeat(201)]) {
      const answer = await post(NO_ID, { status: 'draft', values: { [name]: { value: 'a' } } })
      expect(answer.status).toBe(422)
    }
  })

  test('of PUT and bulk are chosen by status', async () => {
    const { id, record_id } = await aResponse()
    for (const body of [{ status: 'draft' }, { status: 'discarded', values: null }]) {
      expect((await put(id, body)).body.values).toEqual({})
      expect((await bulk([{ record_id, ...body }])).body.items).toMatchObject([{ item: { values: {} }, error: null }])
    }
    expectProblems(await put(id, { status: 'submitted', values: null }), [['dict_type', 'body', 'submitted', 'values']])
    expectRefused(await put(id, { status: 'submitted', values: {} }))
    expectProblem(await bulk([{ record_id, status: 'submitted' }]), 'missing', 'body', 'items', 0, 'submitted', 'values')
    expectProblem(await bulk([{ record_id }]), 'union_tag_not_found', 'body', 'items', 0)
  })
})

describe('bulk', () => {
  test('responds item by item: a failing item does not affect the others', async () => {
    const [first, second] = [await newRecord(), await newRecord(await aDataset(world, SMALL))]
    const { body } = await bulk([
      { record_id: first, ...submitted() },
      { record_id: NO_ID, ...submitted() },
      { record_id: second, ...submitted('angry') },
      { record_id: second, status: 'draft', values: {} },
      { record_id: first, ...draft('calm') },
    ])
    const failed = (code: string, at: string[]) => ({ item: null, error: { detail: expect.stringMatching(/./), code, at } })
    const done = (record_id: string, given: object) => ({ item: expect.objectContaining({ record_id, ...given }), error: null })
    expect(body.items).toEqual([
      done(first, submitted()),
      failed('not_found', []),
      failed('unprocessable', ['values', 'mood', 'value']),
      done(second, { status: 'draft', values: {} }),
      done(first, draft('calm')),
    ])
    const { item } = body.items[0] ?? {}
    expect(body.items[4]?.item).toMatchObject({ id: item?.id, inserted_at: item?.inserted_at, user_id: world.memberAnnotator.id })
    expect((await readRecord(world, first)).responses).toHaveLength(1)
  })

  test('takes 1 to 100 items', async () => {
    const item = { record_id: NO_ID, ...draft() }
    expect((await bulk(Array(100).fill(item))).body.items).toHaveLength(100)
    expectProblems(await bulk(Array(101).fill(item)), [['too_long', 'body', 'items']])
    expectProblems(await bulk([]), [['too_short', 'body', 'items']])
  })
})

describe('the response of another user', () => {
  const read = (recordId: string, user: { id: string }, caller = world.memberAdmin) =>
    caller.send<ResponseOfAuthor>(`GET /records/${recordId}/users/${user.id}/response`)

  test('is read by leads of the workspace, with its author and history, newest first', async () => {
    const ana = world.memberAnnotator
    const made = await aResponse(submitted('sad'))
    await put(made.id, { status: 'discarded', values: {} })
    const now = (await put(made.id, submitted('happy'))).body
    const before = { record_id: made.record_id, user_id: ana.id, response_id: made.id, job_id: null }
    const expected = {
      user: { id: ana.id, username: ana.username, first_name: expect.any(String), last_name: null },
      response: now,
      history: [
        { ...before, status: 'discarded', values: {} },
        { ...before, ...submitted('sad'), inserted_at: made.inserted_at, updated_at: made.updated_at },
      ],
    }
    for (const lead of [world.owner, world.memberAdmin])
      expect(await read(made.record_id, ana, lead)).toMatchObject({ status: 200, body: expected })
    for (const other of [ana, world.strangerAdmin, world.strangerAnnotator])
      expectForbidden(await read(made.record_id, ana, other))
  })

  test('is null if there is none or if it was deleted, whose history remains', async () => {
    const made = await aResponse(submitted())
    const without = await newRecord()
    await world.owner.done(`DELETE /responses/${made.id}`)
    expect((await read(made.record_id, world.memberAnnotator)).body).toMatchObject({ response: null, history: [submitted()] })
    expect((await read(without, world.memberAnnotator)).body).toMatchObject({ response: null, history: [] })
  })

  test('names nobody who never responded in the dataset', async () => {
    const id = await newRecord()
    expectRefused(await read(id, world.strangerAnnotator), 404)
    expectRefused(await read(id, { id: NO_ID }), 404)
  })
})
