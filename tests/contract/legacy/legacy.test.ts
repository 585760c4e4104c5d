/** Every legacy route: success, unauthenticated, forbidden, invalid and not found. */
import { LEGACY_CONTRACTS } from '@postil/domain/legacy/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, NO_ID, openWorld, type World } from '../http.ts'
import type { LegacyCase } from './case.ts'
import { CASES, type Prepared, prepareDatasets } from './cases.ts'

let world: World
let prepared: Prepared
beforeAll(async () => {
  world = await openWorld()
  prepared = await prepareDatasets(world)
})
afterAll(() => world?.close())

const send = (caller: Caller, request: string, body?: unknown) =>
  caller.send<{ detail: { code: string; params: Record<string, unknown> } | string }>(fill(request), body)

const fill = (request: string) => request.replace(/\{(\w+)\}/g, (_, name: string) => prepared[name as keyof Prepared])

const codeOf = ({ body: { detail } }: Awaited<ReturnType<typeof send>>) =>
  typeof detail === 'string' ? detail : detail.code.replace('argilla.api.errors::', '')

test('every legacy route has its cases', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(LEGACY_CONTRACTS.map(({ id }) => id).toSorted())
})

describe.each(Object.entries(CASES))('%s', (id, cases: LegacyCase) => {
  const contract = LEGACY_CONTRACTS.find(route => route.id === id)

  if (contract?.auth)
    test('refuses a caller without credentials', async () => {
      const answer = await send(world.nobody, cases.request, cases.body)
      expect([answer.status, codeOf(answer)]).toEqual([401, 'UnauthorizedError'])
    })

  if (cases.forbidden)
    test('refuses those who may not', async () => {
      for (const name of cases.forbidden ?? []) {
        const answer = await send(world[name], cases.request, cases.body)
        expect([name, answer.status, codeOf(answer)]).toEqual([name, 403, 'ForbiddenOperationError'])
      }
    })

  test.each(cases.invalid ?? [])(
    'refuses what is invalid: $request $body',
    async ({ request, body, status = 422, code = 'ValidationError' }) => {
      const answer = await send(world.owner, request ?? cases.request, body)
      expect([answer.status, codeOf(answer)]).toEqual([status, code])
    },
  )

  test.each(cases.missing ?? [])(
    'tells what is missing: $request',
    async ({ request, status = 404, code = 'EntityNotFoundError' }) => {
      const answer = await send(world.owner, request, cases.body)
      expect([answer.status, codeOf(answer)]).toEqual([status, code])
    },
  )

  test('answers 200', async () => {
    const answer = await send(cases.caller ? world[cases.caller] : world.owner, cases.request, cases.body)
    expect(answer.status, answer.text).toBe(200)
    if (cases.answer !== undefined) expect(answer.body).toEqual(cases.answer)
  })
})

describe('paths', () => {
  test.each([
    'GET /api/nothing',
    'GET /api/datasets/a/b/c/d',
    'POST /api/datasets/{texts}/Other:bulk',
    'GET /api/datasets/{texts}/labels',
  ])('%s is not a route', async request => {
    const answer = await send(world.owner, request, request.startsWith('POST') ? {} : undefined)
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Not Found' }])
  })

  test.each(['PUT /api/me', 'DELETE /api/datasets', 'GET /api/datasets/{texts}/TextClassification:bulk'])(
    '%s is another method',
    async request => {
      const answer = await send(world.owner, request)
      expect([answer.status, answer.body]).toEqual([405, { detail: 'Method Not Allowed' }])
    },
  )

  test.each([
    '/api/dataset/{texts}/TextClassification:bulk?workspace={workspace}',
    '/api/datasets/{texts}/TextClassification:bulk?workspace={workspace}',
    '/api/datasets/{texts}/TextClassification/bulk?workspace={workspace}',
    '/api/datasets/{workspace}.{texts}/TextClassification/bulk',
  ])('records are taken at %s', async path => {
    const answer = await send(world.memberAnnotator, `POST ${path}`, { records: [{ id: 'path', inputs: { text: 'by path' } }] })
    expect(answer.body).toEqual({ dataset: prepared.texts, processed: 1, failed: 0 })
  })

  test('a list of datasets with a slash at the end is not redirected', async () => {
    const answer = await send(world.owner, 'GET /api/datasets/')
    expect(answer.status).toBe(200)
  })

  test('the workspace of the query wins over the header', async () => {
    const path = `GET /api/datasets/${prepared.texts}?workspace=${prepared.workspace}`
    const answer = await world.owner.send(path, undefined, { 'x-argilla-workspace': 'nowhere' })
    expect(answer.status).toBe(200)
    const without = await world.owner.send(`GET /api/datasets/${prepared.texts}`, undefined, {
      'x-argilla-workspace': prepared.workspace,
    })
    expect(without.status).toBe(200)
  })
})

test('a bulk does not create a dataset, and stores nothing if one record is wrong', async () => {
  const missing = await send(world.owner, 'POST /api/datasets/nothing/TextClassification:bulk?workspace={workspace}', {
    records: [],
  })
  expect([missing.status, codeOf(missing)]).toEqual([404, 'EntityNotFoundError'])
  const path = 'POST /api/datasets/{texts}/TextClassification:bulk?workspace={workspace}'
  const records = [
    { id: 'whole', inputs: { text: 'a' } },
    { id: 'broken', inputs: {} },
  ]
  const answer = await send(world.owner, path, { records })
  expect(answer.body).toMatchObject({ detail: { params: { errors: [{ loc: ['body', 'records', 1], type: 'value_error' }] } } })
  const whole = await send(world.owner, 'GET /api/datasets/{texts}/records/whole?workspace={workspace}')
  expect(whole.status).toBe(404)
})

test('bulks of the same record at the same time lose nothing', async () => {
  const path = 'POST /api/datasets/{texts}/TextClassification:bulk?workspace={workspace}'
  const keys = Array.from({ length: 20 }, (_, i) => `key${i}`)
  const bulks = keys.map(key =>
    send(world.owner, path, { records: [{ id: 'shared', inputs: { text: 'x' }, metadata: { [key]: 1 } }] }),
  )
  for (const { status } of await Promise.all(bulks)) expect(status).toBe(200)
  const { body } = await world.owner.send<{ metadata: object }>(
    fill('GET /api/datasets/{texts}/records/shared?workspace={workspace}'),
  )
  expect(Object.keys(body.metadata).toSorted()).toEqual(keys.toSorted())
})

test('a closed dataset is not searched, and an opened one is', async () => {
  const place = '/api/datasets/{texts}'
  await send(world.owner, `PUT ${place}:close?workspace={workspace}`)
  const closed = await send(world.owner, `POST ${place}/TextClassification:search?workspace={workspace}`, {})
  const scan = await send(world.owner, `POST ${place}/records/:search?workspace={workspace}`, {})
  await send(world.owner, `PUT ${place}:open?workspace={workspace}`)
  const opened = await send(world.owner, `POST ${place}/TextClassification:search?workspace={workspace}`, {})
  expect([codeOf(closed), codeOf(scan), opened.status]).toEqual(['ClosedDatasetError', 'ClosedDatasetError', 200])
})

test('a wrapped query is unwrapped, so that not everything is discarded', async () => {
  const request = 'DELETE /api/datasets/{texts}/data?workspace={workspace}&mark_as_discarded=True'
  const answer = await send(world.memberAnnotator, request, { query: { ids: ['one'] } })
  expect(answer.body).toEqual({ matched: 1, processed: 1 })
})

test('a workspace with a task dataset cannot be deleted, and the dataset is not among those of the API', async () => {
  const workspace = await world.owner.done<{ id: string; name: string }>('POST /api/workspaces', { name: 'kept' })
  await world.owner.done('POST /api/datasets?workspace=kept', { name: 'task', task: 'Text2Text' })
  expect((await world.owner.send(`DELETE /workspaces/${workspace.id}`)).status).toBe(409)
  const { items } = await world.owner.done<{ items: { name: string }[] }>('GET /datasets')
  expect(items.map(({ name }) => name)).not.toContain('task')
  await world.owner.done('DELETE /api/datasets/task?workspace=kept')
  expect((await world.owner.send(`DELETE /workspaces/${workspace.id}`)).status).toBe(200)
  expect((await world.owner.send(`DELETE /api/users/${NO_ID}`)).status).toBe(404)
})

test('patterns of callers take no exponential time', async () => {
  const texts = { records: [{ id: 'long', inputs: { text: 'a'.repeat(200) } }] }
  await send(world.owner, 'POST /api/datasets/{texts}/TextClassification:bulk?workspace={workspace}', texts)
  const path = 'POST /api/datasets/{texts}/TextClassification:search?workspace={workspace}'
  for (const query_text of ['/(a*)*b/', '/(a|a)*b/', `${'*a'.repeat(100)}b`, 'a~2', `"${'a '.repeat(500)}"~100`]) {
    const answer = await send(world.owner, path, { query: { query_text } })
    expect([query_text, answer.status]).toEqual([query_text, 200])
  }
  for (const query_text of ['('.repeat(1_000), '/(((a{99}){99}){99})/', '[1 TO', '"open', 'a:', 'x^', '\\', 'NOT', ')']) {
    const answer = await send(world.owner, path, { query: { query_text } })
    expect([query_text, answer.status, codeOf(answer)]).toEqual([query_text, 400, 'InvalidTextSearchError'])
  }
})
