/** Datasets: create, change, publish, delete, and when their timestamps change. */
import type { Dataset } from '@postil/domain/datasets'
import type { RecordResponse } from '@postil/domain/responses'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectRefused } from './answers.ts'
import {
  ALL_VECTORS,
  aDataset,
  aRecord,
  type BuiltDataset,
  draft,
  idOf,
  LABEL_QUESTION,
  readDataset,
  SMALL,
  SMALL_DRAFT,
  submitted,
  TEXT_FIELD,
} from './datasets.ts'
import { fresh, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const create = (given: object) =>
  world.owner.send<Dataset>('POST /datasets', { name: fresh('dataset'), workspace_id: world.workspaceId, ...given })
const patch = ({ path }: BuiltDataset, body: object) => world.owner.send<Dataset>(`PATCH ${path}`, body)

describe('a new dataset', () => {
  test('is a draft with the usual defaults', async () => {
    const { body } = await create({ id: '33333333-3333-4333-8333-333333333333', status: 'ready' })
    expect(body).toMatchObject({
      guidelines: null,
      allow_extra_metadata: true,
      status: 'draft',
      distribution: { strategy: 'overlap', min_submitted: 1 },
      metadata: null,
    })
    expect(body.id).not.toBe('33333333-3333-4333-8333-333333333333')
    expect([body.updated_at, body.last_activity_at]).toEqual([body.inserted_at, body.inserted_at])
  })

  test('keeps what it is given', async () => {
    const given = {
      name: ' Näme/👍 ',
      guidelines: 'g'.repeat(10_000),
      allow_extra_metadata: false,
      distribution: { strategy: 'overlap', min_submitted: 3 },
      metadata: { a: [1, { b: null }] },
    }
    expect((await create(given)).body).toMatchObject(given)
  })

  test('has a name that is unique in its workspace', async () => {
    const name = fresh('taken')
    await create({ name })
    expectRefused(await create({ name }), 409)
    expect((await create({ name, workspace_id: world.otherWorkspaceId })).status).toBe(201)
  })
})

describe('listing', () => {
  test('is oldest first; filters are combined', async () => {
    const name = fresh('listed')
    const first = (await create({ name })).body
    const second = (await create({ name, workspace_id: world.otherWorkspaceId })).body
    const ids = async (query: string) => {
      const mine = await world.owner.done<{ items: Dataset[] }>(`GET /me/datasets${query}`)
      expect(await world.owner.done(`GET /datasets${query}`)).toEqual(mine)
      return mine.items.map(({ id }) => id)
    }
    expect(await ids(`?name=${name}`)).toEqual([first.id, second.id])
    expect(await ids(`?name=${name.toUpperCase()}`)).toEqual([])
    expect(await ids(`?name=${name}&workspace_id=${world.otherWorkspaceId}`)).toEqual([second.id])
    expect(await ids(`?name=${name}&status=ready`)).toEqual([])
    expect(await ids(`?name=${name}&status=draft`)).toEqual([first.id, second.id])
  })
})

describe('changing', () => {
  test('is possible before and after publishing, with and without responses', async () => {
    const changes = { name: fresh('renamed'), guidelines: null, allow_extra_metadata: false, metadata: { a: 1 } }
    for (const options of [SMALL_DRAFT, SMALL]) {
      const dataset = await aDataset(world, options)
      if (dataset.dataset.status === 'ready')
        await aRecord(world, dataset, { responses: [{ user_id: world.owner.id, ...submitted() }] })
      const name = fresh('renamed')
      expect((await patch(dataset, { ...changes, name })).body).toMatchObject({ ...changes, name })
      expect(await readDataset(world, dataset)).toMatchObject({ ...changes, name })
    }
  })

  test('to a taken name is a conflict, and changes nothing', async () => {
    const taken = await aDataset(world, SMALL_DRAFT)
    const dataset = await aDataset(world, SMALL_DRAFT)
    expectRefused(await patch(dataset, { name: taken.dataset.name, guidelines: 'new' }), 409)
    expect(await readDataset(world, dataset)).toEqual(dataset.dataset)
    expect((await patch(dataset, { name: dataset.dataset.name })).status).toBe(200)
  })

  test('metadata merges key by key and stays; null clears it', async () => {
    const dataset = await aDataset(world, SMALL_DRAFT)
    const steps: [object | null, object | null][] = [
      [
        { a: 1, b: { c: 1 } },
        { a: 1, b: { c: 1 } },
      ],
      [
        { b: { d: 2 }, e: null },
        { a: 1, b: { d: 2 }, e: null },
      ],
      [{}, { a: 1, b: { d: 2 }, e: null }],
      [null, null],
    ]
    for (const [metadata, expected] of steps) {
      expect((await patch(dataset, { metadata })).body.metadata).toEqual(expected)
      expect((await readDataset(world, dataset)).metadata).toEqual(expected)
    }
  })

  test('nothing moves no time', async () => {
    const dataset = await aDataset(world, SMALL)
    expect((await patch(dataset, {})).body).toEqual(dataset.dataset)
  })
})

describe('publishing', () => {
  const optional = (part: object) => ({ ...part, required: false })

  test.each([
    { why: 'no field', options: { ...SMALL_DRAFT, fields: [] } },
    { why: 'no required field', options: { ...SMALL_DRAFT, fields: [optional(TEXT_FIELD) as typeof TEXT_FIELD] } },
    { why: 'no question', options: { ...SMALL_DRAFT, questions: [] } },
    { why: 'no required question', options: { ...SMALL_DRAFT, questions: [optional(LABEL_QUESTION) as typeof LABEL_QUESTION] } },
  ])('is refused with $why, and leaves a draft', async ({ options }) => {
    const dataset = await aDataset(world, options)
    expectRefused(await world.owner.send(`PUT ${dataset.path}/publish`))
    expect(await readDataset(world, dataset)).toEqual(dataset.dataset)
  })

  test('happens once, and moves both times', async () => {
    const dataset = await aDataset(world, SMALL_DRAFT)
    const { body } = await world.owner.send<Dataset>(`PUT ${dataset.path}/publish`)
    expect(body.status).toBe('ready')
    expect(body.updated_at > dataset.dataset.updated_at).toBe(true)
    expect(body.last_activity_at).toBe(body.updated_at)
    expectRefused(await world.owner.send(`PUT ${dataset.path}/publish`))
  })

  test('locks fields and questions, and nothing else', async () => {
    const dataset = await aDataset(world, SMALL)
    const send = (request: string, body?: unknown) => world.owner.send(request, body)
    expectRefused(await send(`POST ${dataset.path}/fields`, { ...TEXT_FIELD, name: 'more' }))
    // The check for published datasets comes before the check of a field's name, and after that of a question's name.
    expectRefused(await send(`POST ${dataset.path}/fields`, TEXT_FIELD), 422)
    expectRefused(await send(`POST ${dataset.path}/questions`, LABEL_QUESTION), 409)
    expectRefused(await send(`POST ${dataset.path}/questions`, { ...LABEL_QUESTION, name: 'more' }))
    const [fieldId, questionId] = [idOf(dataset.fields, 'text'), idOf(dataset.questions, 'mood')]
    for (const path of [`/fields/${fieldId}`, `/questions/${questionId}`]) {
      expectRefused(await send(`DELETE ${path}`))
      expectRefused(await send(`DELETE ${dataset.path}${path}`))
      expect((await send(`PATCH ${path}`, { title: 'New' })).status).toBe(200)
    }
    const property = { name: 'late', title: 'Late', settings: { type: 'terms' } }
    expect((await send(`POST ${dataset.path}/metadata-properties`, property)).status).toBe(201)
    expect((await send(`POST ${dataset.path}/vectors-settings`, ALL_VECTORS[0])).status).toBe(201)
  })

  test('comes before records, whichever way they are written', async () => {
    const { path } = await aDataset(world, SMALL_DRAFT)
    const body = { items: [{ fields: { text: 'a' } }] }
    for (const request of [`POST ${path}/records/bulk`, `PUT ${path}/records/bulk`, `POST ${path}/records`]) {
      expectRefused(await world.owner.send(request, body))
    }
    expectRefused(await world.owner.send(`PATCH ${path}/records`, { items: [{ id: '44444444-4444-4444-8444-444444444444' }] }))
    expect(await world.owner.done(`GET ${path}/records`)).toEqual({ items: [], total: 0 })
    expect((await world.owner.send(`PUT ${path}/publish`)).status).toBe(200)
  })
})

describe('last_activity_at', () => {
  const activity = async (dataset: BuiltDataset, act: () => Promise<unknown>) => {
    const before = await readDataset(world, dataset)
    await act()
    const after = await readDataset(world, dataset)
    return [after.last_activity_at > before.last_activity_at, after.updated_at > before.updated_at]
  }

  test('moves alone with every response written on its own route', async () => {
    const dataset = await aDataset(world, SMALL)
    const record = await aRecord(world, dataset)
    let response: RecordResponse | undefined
    const create = async () => {
      response = await world.owner.done<RecordResponse>(`POST /records/${record.id}/responses`, draft())
    }
    expect(await activity(dataset, create)).toEqual([true, false])
    expect(await activity(dataset, () => world.owner.done(`PUT /responses/${response?.id}`, submitted()))).toEqual([true, false])
    const item = { record_id: record.id, ...submitted('sad') }
    expect(await activity(dataset, () => world.owner.done('POST /me/responses/bulk', { items: [item] }))).toEqual([true, false])
    expect(await activity(dataset, () => world.owner.done(`DELETE /responses/${response?.id}`))).toEqual([true, false])
  })

  test('does not move with records, their responses, suggestions, fields and questions', async () => {
    const dataset = await aDataset(world, SMALL)
    const record = await aRecord(world, dataset)
    const item = { id: record.id, responses: [{ user_id: world.owner.id, ...submitted() }] }
    const acts: [string, object][] = [
      [`PUT ${dataset.path}/records/bulk`, { items: [item] }],
      [`PATCH /records/${record.id}`, { metadata: { a: 1 } }],
      [`PUT /records/${record.id}/suggestions`, { question_id: idOf(dataset.questions, 'mood'), value: 'sad' }],
      [`PATCH /fields/${idOf(dataset.fields, 'text')}`, { title: 'New' }],
      [`PATCH /questions/${idOf(dataset.questions, 'mood')}`, { title: 'New' }],
      [`POST ${dataset.path}/metadata-properties`, { name: 'a', title: 'A', settings: { type: 'terms' } }],
    ]
    for (const [request, body] of acts) {
      expect([request, await activity(dataset, () => world.owner.done(request, body))]).toEqual([request, [false, false]])
    }
  })

  test('moves together with updated_at when the dataset itself changes', async () => {
    const dataset = await aDataset(world, SMALL)
    expect(await activity(dataset, () => patch(dataset, { guidelines: 'New' }))).toEqual([true, true])
  })
})

describe('deleting', () => {
  test('takes everything with it, at once', async () => {
    const dataset = await aDataset(world)
    const record = await aRecord(world, dataset)
    const response = await world.owner.done<RecordResponse>(`POST /records/${record.id}/responses`, draft())
    expect(await world.owner.done(`DELETE ${dataset.path}`)).toMatchObject({ id: dataset.id, status: 'ready' })
    const gone: [string, object?][] = [
      [`GET ${dataset.path}`],
      [`DELETE ${dataset.path}`],
      [`GET /records/${record.id}`],
      [`PUT /responses/${response.id}`, draft()],
      [`PATCH /fields/${idOf(dataset.fields, 'text')}`, { title: 'A' }],
      [`PATCH /questions/${idOf(dataset.questions, 'mood')}`, { title: 'A' }],
      [`PATCH /metadata-properties/${idOf(dataset.properties, 'source')}`, { title: 'A' }],
      [`PATCH /vectors-settings/${idOf(dataset.vectors, 'embed')}`, { title: 'A' }],
    ]
    for (const [request, body] of gone) expectRefused(await world.owner.send(request, body), 404)
    const name = dataset.dataset.name
    expect((await create({ name })).status).toBe(201)
  })

  test('is not for annotators', async () => {
    const { path } = await aDataset(world, SMALL)
    expectForbidden(await world.memberAnnotator.send(`DELETE ${path}`))
  })
})
