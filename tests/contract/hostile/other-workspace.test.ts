/** Ids from a workspace that the caller does not belong to, in every place that accepts an id. */
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse } from '@postil/domain/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectRefused } from '../answers.ts'
import { aDataset, addRecords, type BuiltDataset, draft, first, idOf, SMALL_DRAFT, submitted } from '../datasets.ts'
import { type ActorName, openWorld, type World } from '../http.ts'
import { unharmed } from './target.ts'

let world: World
let own: BuiltDataset
let foreign: BuiltDataset
let foreignDraft: BuiltDataset
let mine: DatasetRecord
let theirs: DatasetRecord
const responseOf = (record: DatasetRecord) => first(record.responses) as RecordResponse

beforeAll(async () => {
  world = await openWorld()
  own = await aDataset(world)
  foreign = await aDataset(world, { workspace_id: world.otherWorkspaceId })
  foreignDraft = await aDataset(world, { ...SMALL_DRAFT, workspace_id: world.otherWorkspaceId })
  const full = (dataset: BuiltDataset, text: string) => ({
    fields: { text },
    external_id: 'same',
    metadata: { source: 'web' },
    vectors: { embed: [1, 2, 3] },
    suggestions: [{ question_id: idOf(dataset.questions, 'mood'), value: 'sad' }],
    responses: [{ user_id: world.owner.id, ...submitted() }],
  })
  mine = first(await addRecords(world, own, [full(own, 'mine')]))
  theirs = first(await addRecords(world, foreign, [full(foreign, 'theirs')]))
})
afterAll(() => world?.close())

type Request = () => [request: string, body?: unknown]
const fields = { text: 'x' }
const suggestion = () => ({ question_id: idOf(foreign.questions, 'mood'), value: 'happy' })
const option = { title: 'X', settings: { type: 'text' } }

/** Requests that are refused for users outside the workspace. */
const FORBIDDEN: Record<string, Request> = {
  'read the dataset': () => [`GET ${foreign.path}`],
  'list fields': () => [`GET ${foreign.path}/fields`],
  'list questions': () => [`GET ${foreign.path}/questions`],
  'list metadata properties': () => [`GET ${foreign.path}/metadata-properties`],
  'list vectors settings': () => [`GET ${foreign.path}/vectors-settings`],
  'list records': () => [`GET ${foreign.path}/records`],
  'list own records': () => [`GET /me${foreign.path}/records`],
  search: () => [`POST ${foreign.path}/records/search`, {}],
  'search own': () => [`POST /me${foreign.path}/records/search`, {}],
  'see who suggested': () => [`GET ${foreign.path}/records/search/suggestions/options`],
  'see progress': () => [`GET ${foreign.path}/progress`],
  'see metrics': () => [`GET /metadata-properties/${idOf(foreign.properties, 'source')}/metrics`],
  'filter datasets by it': () => [`GET /me/datasets?workspace_id=${world.otherWorkspaceId}`],
  'make a dataset there': () => ['POST /datasets', { name: 'x', workspace_id: world.otherWorkspaceId }],
  'change the dataset': () => [`PATCH ${foreign.path}`, { name: 'stolen' }],
  'publish a draft': () => [`PUT ${foreignDraft.path}/publish`],
  'delete the dataset': () => [`DELETE ${foreign.path}`],
  'add a field': () => [`POST ${foreignDraft.path}/fields`, { ...option, name: 'x' }],
  'add a question': () => [`POST ${foreignDraft.path}/questions`, { ...option, name: 'x' }],
  'change a field': () => [`PATCH /fields/${idOf(foreign.fields, 'text')}`, { title: 'stolen' }],
  'change a question': () => [`PATCH /questions/${idOf(foreign.questions, 'mood')}`, { title: 'stolen' }],
  'change a property': () => [`PATCH /metadata-properties/${idOf(foreign.properties, 'source')}`, { title: 'stolen' }],
  'change a vector': () => [`PATCH /vectors-settings/${idOf(foreign.vectors, 'embed')}`, { title: 'stolen' }],
  'delete a field': () => [`DELETE /fields/${idOf(foreignDraft.fields, 'text')}`],
  'delete a question': () => [`DELETE /questions/${idOf(foreignDraft.questions, 'mood')}`],
  'delete a property': () => [`DELETE /metadata-properties/${idOf(foreign.properties, 'source')}`],
  'delete a vector': () => [`DELETE /vectors-settings/${idOf(foreign.vectors, 'embed')}`],
  'add records': () => [`POST ${foreign.path}/records/bulk`, { items: [{ fields }] }],
  'change records': () => [`PUT ${foreign.path}/records/bulk`, { items: [{ id: theirs.id, fields }] }],
  'add records the old way': () => [`POST ${foreign.path}/records`, { items: [{ fields }] }],
  'change records the old way': () => [`PATCH ${foreign.path}/records`, { items: [{ id: theirs.id, metadata: {} }] }],
  'delete records': () => [`DELETE ${foreign.path}/records?ids=${theirs.id}`],
  'read a record': () => [`GET /records/${theirs.id}`],
  'change a record': () => [`PATCH /records/${theirs.id}`, { metadata: {} }],
  'delete a record': () => [`DELETE /records/${theirs.id}`],
  respond: () => [`POST /records/${theirs.id}/responses`, draft()],
  'change a response': () => [`PUT /responses/${responseOf(theirs).id}`, draft('sad')],
  'delete a response': () => [`DELETE /responses/${responseOf(theirs).id}`],
  'list suggestions': () => [`GET /records/${theirs.id}/suggestions`],
  suggest: () => [`PUT /records/${theirs.id}/suggestions`, suggestion()],
  'delete a suggestion': () => [`DELETE /suggestions/${first(theirs.suggestions).id}`],
  'delete suggestions': () => [`DELETE /records/${theirs.id}/suggestions?ids=${first(theirs.suggestions).id}`],
  'see members': () => [`GET /workspaces/${world.otherWorkspaceId}/users`],
  'join by oneself': () => [`POST /workspaces/${world.otherWorkspaceId}/users`, { user_id: world.memberAdmin.id }],
  'delete the workspace': () => [`DELETE /workspaces/${world.otherWorkspaceId}`],
}

describe.each(['memberAdmin', 'memberAnnotator', 'strangerAdmin'] satisfies ActorName[])('%s of another workspace', who => {
  test.each(Object.entries(FORBIDDEN))('may not %s', async (_, request) => {
    expectForbidden(await world[who].send(...request()))
  })
})

test('nothing of it was done', async () => {
  await unharmed(world, async () => {
    for (const request of Object.values(FORBIDDEN)) {
      for (const who of ['memberAdmin', 'memberAnnotator'] as const) expectForbidden(await world[who].send(...request()))
    }
  })
})

describe('through the own dataset, a member admin', () => {
  const send = (...request: Parameters<World['owner']['send']>) => world.memberAdmin.send(...request)

  test('cannot put another dataset’s question into a record', async () => {
    await unharmed(world, async () => {
      const suggestions = [suggestion()]
      for (const answer of [
        await send(`PUT /records/${mine.id}/suggestions`, suggestion()),
        await send(`POST /records/${mine.id}/suggestions`, suggestion()),
        await send(`PATCH /records/${mine.id}`, { suggestions }),
        await send(`POST ${own.path}/records/bulk`, { items: [{ fields, suggestions }] }),
        await send(`PUT ${own.path}/records/bulk`, { items: [{ id: mine.id, suggestions }] }),
        await send(`PATCH ${own.path}/records`, { items: [{ id: mine.id, suggestions }] }),
      ]) {
        expectRefused(answer)
      }
    })
  })

  test('cannot change, delete or compare with another dataset’s record', async () => {
    await unharmed(world, async () => {
      expectRefused(await send(`PATCH ${own.path}/records`, { items: [{ id: theirs.id, metadata: { stolen: true } }] }))
      const vector = { name: 'embed', record_id: theirs.id }
      expectRefused(await send(`POST ${own.path}/records/search`, { query: { vector } }))
      expect((await send(`DELETE ${own.path}/records?ids=${theirs.id}`)).status).toBe(204)
      const ids = first(theirs.suggestions).id
      expect((await send(`DELETE /records/${mine.id}/suggestions?ids=${ids}`)).status).toBe(204)
      const filter = { type: 'terms', scope: { entity: 'record', property: 'id' }, values: [theirs.id] }
      expect((await send(`POST ${own.path}/records/search`, { filters: { and: [filter] } })).body).toMatchObject({ total: 0 })
    })
  })

  test('cannot delete another dataset’s field or question below the own dataset', async () => {
    await unharmed(world, async () => {
      expectRefused(await send(`DELETE ${own.path}/fields/${idOf(foreignDraft.fields, 'text')}`), 404)
      expectRefused(await send(`DELETE ${own.path}/questions/${idOf(foreignDraft.questions, 'mood')}`), 404)
    })
  })

  test('makes a new record when it upserts with another dataset’s id, and takes no external id away', async () => {
    const before = await world.owner.done(`GET /records/${theirs.id}`)
    const { items } = await world.memberAdmin.done<{ items: DatasetRecord[] }>(`PUT ${own.path}/records/bulk`, {
      items: [
        { id: theirs.id, fields },
        { external_id: 'same', metadata: { changed: true } },
      ],
    })
    expect(items.map(({ id, dataset_id }) => [id !== theirs.id, dataset_id])).toEqual([
      [true, own.id],
      [true, own.id],
    ])
    expect(items[1]?.id).toBe(mine.id)
    expect(await world.owner.done(`GET /records/${theirs.id}`)).toEqual(before)
  })

  test('is told per item that a record is not theirs to answer', async () => {
    await unharmed(world, async () => {
      const items = [theirs.id, theirs.id].map(record_id => ({ record_id, ...draft() }))
      const error = { item: null, error: { detail: expect.stringMatching(/./), code: 'forbidden', at: [] } }
      expect((await send('POST /me/responses/bulk', { items })).body).toEqual({ items: [error, error] })
    })
  })
})
