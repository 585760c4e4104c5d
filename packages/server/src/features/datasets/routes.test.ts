import { CONTRACTS } from '@postil/domain/api/all'
import { datasetChangesRoutes, deleteRecordsByFilter } from '@postil/domain/api/dataset-changes'
import { datasetSettingsRoutes } from '@postil/domain/api/dataset-settings'
import { datasetRoutes as datasetContracts } from '@postil/domain/api/datasets'
import { eventRoutes } from '@postil/domain/api/events'
import { afterAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { createRunCall } from '../../http/run-call.ts'
import { fieldRoutes } from '../fields/routes.ts'
import { metadataPropertyRoutes } from '../metadata-properties/routes.ts'
import { questionRoutes } from '../questions/routes.ts'
import { vectorsSettingsRoutes } from '../vectors-settings/routes.ts'
import { readLiveChanges, readLiveOfUsers } from './live-read.ts'
import { datasetRoutes } from './routes.ts'
import { addDraft, openTestTeam } from './testing/datasets.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

const routes = [...datasetRoutes, ...fieldRoutes, ...questionRoutes, ...metadataPropertyRoutes, ...vectorsSettingsRoutes]
const runCall = createRunCall(routes)

interface Given {
  params?: Record<string, string>
  search?: string
  body?: object
}

async function call(ctx: RequestContext, routeId: string, { params = {}, search = '', body }: Given) {
  const bytes = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body))
  const rest = { actor: ctx.actor, refusal: null, requestId: 'test', contentType: 'application/json', sender: ctx.sender }
  const reply = await runCall(team.ctx, { routeId, params, search, body: bytes, ...rest })
  return { status: reply.status, json: JSON.parse(new TextDecoder().decode(reply.body ?? undefined)) }
}

test('every contract of datasets and their settings is served, once', () => {
  // `readLiveChanges` and `readLiveOfUsers` are internal routes. `deleteRecordsByFilter` belongs to bulk jobs.
  const settings = [...datasetSettingsRoutes, ...datasetChangesRoutes].filter(route => route !== deleteRecordsByFilter)
  const contracts = [...datasetContracts, ...eventRoutes, ...settings, readLiveChanges, readLiveOfUsers]
  expect(routes.map(({ contract }) => contract.id).sort()).toEqual(contracts.map(({ id }) => id).sort())
})

test('progress of any user is for event streams only: no contract, so that nobody can call it', () => {
  expect(CONTRACTS.map(({ id }) => id)).not.toContain(readLiveOfUsers.id)
})

describe('settings left out in a body', () => {
  test.each([
    { route: 'createField', settings: { type: 'text' }, stored: { type: 'text', use_markdown: false } },
    { route: 'createField', settings: { type: 'chat' }, stored: { type: 'chat', use_markdown: true } },
    { route: 'createField', settings: { type: 'image', extra: 1 }, stored: { type: 'image' } },
    {
      route: 'createField',
      settings: { type: 'custom', template: '' },
      stored: { type: 'custom', template: '', advanced_mode: false },
    },
    { route: 'createQuestion', settings: { type: 'text' }, stored: { type: 'text', use_markdown: false } },
    { route: 'createMetadataProperty', settings: { type: 'terms' }, stored: { type: 'terms', values: null } },
    { route: 'createMetadataProperty', settings: { type: 'integer', max: 3 }, stored: { type: 'integer', min: null, max: 3 } },
    { route: 'createMetadataProperty', settings: { type: 'float' }, stored: { type: 'float', min: null, max: null } },
  ])('are filled in: $route $settings', async ({ route, settings, stored }) => {
    const { id } = await addDraft(team)
    const body = { id: null, name: 'item', title: 'Item', inserted_at: null, settings }
    const created = await call(team.admin, route, { params: { dataset_id: id }, body })
    expect(created).toMatchObject({ status: 201, json: { settings: stored } })
    const listed = await call(
      team.admin,
      route.replace(/^create(.*?)(y?)$/, (_, noun, y) => `list${noun}${y ? 'ies' : 's'}`),
      {
        params: { dataset_id: id },
      },
    )
    expect(listed.json).toEqual({ items: [created.json] })
  })
})

describe('failures have the shapes clients know', () => {
  test('a name that is taken: 409 with a text', async () => {
    await addDraft(team, 'taken')
    const body = { name: 'taken', workspace_id: team.workspaceId }
    expect(await call(team.admin, 'createDataset', { body })).toEqual({ status: 409, json: { detail: expect.any(String) } })
  })

  test('null where it is not allowed: one problem for the body', async () => {
    const { id } = await addDraft(team)
    const reply = await call(team.admin, 'updateDataset', {
      params: { dataset_id: id },
      body: { name: null, distribution: null },
    })
    expect(reply.status).toBe(422)
    expect(reply.json.detail.params.errors).toEqual([{ type: 'value_error', loc: ['body'], msg: expect.any(String) }])
  })

  test('a status that there is not: 422 at the parameter', async () => {
    const reply = await call(team.admin, 'listMyDatasets', { search: 'status=open' })
    expect(reply.status).toBe(422)
    expect(reply.json.detail.params.errors).toMatchObject([{ type: 'enum', loc: ['query', 'status'] }])
  })

  test('vectors settings without a title: 422', async () => {
    const params = { vectors_settings_id: team.ctx.newId() }
    expect((await call(team.admin, 'updateVectorsSettings', { params, body: {} })).status).toBe(422)
    expect((await call(team.admin, 'updateVectorsSettings', { params, body: { title: 'T' } })).status).toBe(404)
  })
})
