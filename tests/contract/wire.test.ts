/** Common behaviour of all routes: types, ids, unknown keys, redirects, methods, headers, and the order of checks. */
import type { Dataset } from '@postil/domain/datasets'
import type { Workspace } from '@postil/domain/workspaces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectProblem, expectProblems, expectRefused, expectUnauthorized, TIMESTAMP } from './answers.ts'
import { aDataset, type BuiltDataset, SMALL_DRAFT } from './datasets.ts'
import { fresh, NO_ID, openWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
beforeAll(async () => {
  world = await openWorld()
  dataset = await aDataset(world, SMALL_DRAFT)
})
afterAll(() => world?.close())

const patch = (body: unknown) => world.owner.send<Dataset>(`PATCH ${dataset.path}`, body)

describe('input', () => {
  test.each([3, '3', 3.0, ' 3 ', '+3'])('integers may be sent as %j', async min_submitted => {
    const answer = await patch({ distribution: { strategy: 'overlap', min_submitted } })
    expect(answer.body.distribution).toEqual({ strategy: 'overlap', min_submitted: 3 })
  })

  test.each([
    [3.5, 'int_from_float'],
    ['three', 'int_parsing'],
    [null, 'int_type'],
    [[3], 'int_type'],
  ])('integers may not be sent as %j', async (min_submitted, type) => {
    const answer = await patch({ distribution: { strategy: 'overlap', min_submitted } })
    expectProblems(answer, [[type, 'body', 'distribution', 'min_submitted']])
  })

  const words = [
    [true, 1, 'true', 'TRUE', 't', 'T', 'yes', 'Yes', 'y', 'on', 'ON', '1'],
    [false, 0, 'false', 'False', 'f', 'no', 'NO', 'n', 'off', 'Off', '0'],
  ]
  test.each(words.map((given, i) => ({ given, meant: i === 0 })))('$given mean $meant', async ({ given, meant }) => {
    for (const allow_extra_metadata of given) {
      await patch({ allow_extra_metadata: !meant })
      const answer = await patch({ allow_extra_metadata })
      expect([allow_extra_metadata, answer.body.allow_extra_metadata]).toEqual([allow_extra_metadata, meant])
    }
  })

  test.each([
    ['maybe', 'bool_parsing'],
    ['', 'bool_parsing'],
    [2, 'bool_parsing'],
    [[], 'bool_type'],
    [{}, 'bool_type'],
  ])('%j is neither true nor false', async (allow_extra_metadata, type) => {
    expectProblems(await patch({ allow_extra_metadata }), [[type, 'body', 'allow_extra_metadata']])
  })

  test.each([3, true, [], {}])('texts may not be sent as %j', async guidelines => {
    expectProblems(await patch({ guidelines }), [['string_type', 'body', 'guidelines']])
  })

  test('lengths count characters, not what UTF-16 makes of them, and nothing is trimmed', async () => {
    const name = '👍'.repeat(200)
    expect((await patch({ name })).body.name).toBe(name)
    expectProblems(await patch({ name: `${name}👍` }), [['string_too_long', 'body', 'name']])
    expect((await patch({ name: ' padded ' })).body.name).toBe(' padded ')
  })

  test('keys that mean nothing are ignored', async () => {
    const noise = { id: 'x', inserted_at: 3, updated_at: null, dataset_id: [], status: 'ready', secret: {}, workspace_id: NO_ID }
    const answer = await patch({ ...noise, guidelines: 'Be kind.' })
    expect(answer.body).toMatchObject({
      id: dataset.id,
      status: 'draft',
      guidelines: 'Be kind.',
      workspace_id: world.workspaceId,
    })
  })

  test.each([
    ['hyphens', (id: string) => id],
    ['upper case', (id: string) => id.toUpperCase()],
    ['no hyphens', (id: string) => id.replaceAll('-', '')],
    ['a URN', (id: string) => `urn:uuid:${id}`],
    ['braces', (id: string) => encodeURIComponent(`{${id}}`)],
  ])('ids may be written with %s', async (_, write) => {
    const answer = await world.owner.send<Dataset>(`GET /datasets/${write(dataset.id)}`)
    expect([answer.status, answer.body.id]).toEqual([200, dataset.id])
  })

  test('ids go out in lower case with hyphens', async () => {
    const id = '{ABCDEF0123454678ABCDEF0123456789}'
    const made = await world.owner.done<Workspace>('POST /workspaces', { id, name: fresh('workspace') })
    expect(made.id).toBe('abcdef01-2345-4678-abcd-ef0123456789')
  })

  test('a body without a content type is JSON; one of another type is not an object', async () => {
    const bytes = () => new TextEncoder().encode(JSON.stringify({ guidelines: 'Bytes' }))
    const send = (body: unknown, type?: string) =>
      world.owner.send<Dataset>(`PATCH ${dataset.path}`, body, type === undefined ? {} : { 'content-type': type })
    expect((await send(bytes())).body.guidelines).toBe('Bytes')
    expect((await send('{"guidelines": "Text"}', 'application/merge-patch+json; charset=utf-8')).body.guidelines).toBe('Text')
    expectProblems(await send('{"guidelines": "x"}', 'text/plain'), [['model_attributes_type', 'body']])
  })

  test.each(['NaN', 'Infinity', '-Infinity'])('%s is not JSON', async word => {
    const answer = await world.owner.send(`PATCH ${dataset.path}`, `{"metadata": {"a": ${word}}}`, {
      'content-type': 'application/json',
    })
    expect(answer.status).toBe(422)
  })
})

describe('output', () => {
  test('times are UTC without a zone, to the microsecond', async () => {
    const before = new Date(Date.now() - 60_000).toISOString()
    const made = await world.owner.done<Workspace>('POST /workspaces', { name: fresh('workspace') })
    const after = new Date(Date.now() + 60_000).toISOString()
    expect(made.inserted_at).toMatch(TIMESTAMP)
    expect(made.updated_at).toBe(made.inserted_at)
    expect(made.inserted_at > before && made.inserted_at < after).toBe(true)
  })
})

describe('paths and methods', () => {
  test.each([
    ['GET /me/', '/api/v1/me'],
    ['GET /me/datasets/?name=a', '/api/v1/me/datasets?name=a'],
    ['GET /datasets/', '/api/v1/datasets'],
    ['POST /datasets/', '/api/v1/datasets'],
    ['GET /users/', '/api/v1/users'],
  ])('%s is redirected to %s', async (request, target) => {
    const answer = await world.owner.send(request)
    const location = new URL(answer.headers.get('location') ?? '', world.server.url)
    expect([answer.status, location.origin, location.pathname + location.search]).toEqual([307, world.server.url, target])
  })

  test.each([
    'GET /nothing',
    'POST /datasets/nothing/at/all',
    'GET /api/nothing',
    'GET /api/v1',
    'DELETE /api/nothing',
    'GET /me/nothing/',
    `GET /datasets/${NO_ID}/records/${NO_ID}`,
  ])('%s is not found', async request => {
    for (const caller of [world.owner, world.nobody]) {
      const answer = await caller.send(request)
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Not Found' }])
    }
  })

  test.each([
    ['PUT /me', 'GET'],
    ['GET /workspaces', 'POST'],
    ['PATCH /datasets', 'GET, POST'],
    [`POST /workspaces/${NO_ID}/users/${NO_ID}`, 'DELETE'],
    [`GET /records/${NO_ID}/responses`, 'POST'],
    [`GET /responses/${NO_ID}`, 'DELETE, PUT'],
    ['OPTIONS /me', 'GET'],
    [`OPTIONS /datasets/${NO_ID}`, 'DELETE, GET, PATCH'],
    ['GET /token', 'POST'],
    ['POST /openapi.json', 'GET'],
  ])('%s is not allowed; %s is', async (request, allowed) => {
    const answer = await world.owner.send(request)
    expect([answer.status, answer.body]).toEqual([405, { detail: 'Method Not Allowed' }])
    const methods = (answer.headers.get('allow') ?? '').split(/, */).toSorted()
    expect(methods.join(', ')).toBe(allowed)
  })

  test('HEAD is not allowed', async () => {
    const answer = await world.owner.send('HEAD /me')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('every answer says how long it took', async () => {
    const requests = [
      'GET /me',
      'GET /nothing',
      'PUT /me',
      'GET /me/',
      `GET /datasets/${NO_ID}`,
      'POST /datasets',
      'GET /version',
    ]
    for (const request of requests) {
      for (const caller of [world.owner, world.nobody]) {
        const { headers } = await caller.send(request)
        expect([request, headers.get('server-timing')]).toEqual([request, expect.stringMatching(/^total;dur=\d+(\.\d+)?$/)])
      }
    }
  })
})

describe('CORS for any origin', () => {
  const origin = 'https://elsewhere.example'

  test('a preflight is answered before routing and credentials', async () => {
    const asked = {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-argilla-api-key, x-own',
    }
    for (const request of ['OPTIONS /me', 'OPTIONS /nothing']) {
      const answer = await world.nobody.send(request, undefined, asked)
      expect([answer.status, answer.text]).toEqual([200, 'OK'])
      expect(answer.headers.get('access-control-allow-methods')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT')
      expect(answer.headers.get('access-control-max-age')).toBe('600')
      expect(answer.headers.get('access-control-allow-headers')).toBe('x-argilla-api-key, x-own')
      expect(['*', origin]).toContain(answer.headers.get('access-control-allow-origin'))
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('a simple request is marked, and never allowed to carry credentials', async () => {
    for (const headers of [{ origin }, { origin, cookie: 'a=b' }]) {
      for (const request of ['GET /version', 'GET /me', 'GET /nothing']) {
        const answer = await world.nobody.send(request, undefined, headers)
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      }
    }
    expect((await world.nobody.send('GET /version')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('checks come in order:', () => {
  const json = { 'content-type': 'application/json' }
  const search = (id: string, query = '') => `POST /datasets/${id}/records/search${query}`

  test('the syntax of the body, even without credentials', async () => {
    expectProblems(await world.nobody.send(search(NO_ID), '{"a": ', json), [
      ['json_invalid', 'body', expect.any(Number) as number],
    ])
    expectProblem(await world.nobody.send(search('x', '?include=nonsense'), '{]', json), 'json_invalid', 'body', 1)
  })

  test('`include`, even without credentials', async () => {
    expectRefused(await world.nobody.send(search('x', '?include=nonsense'), {}))
    expectRefused(await world.nobody.send(`GET /datasets/${NO_ID}/records?include=`))
    expectRefused(await world.nobody.send(`GET /me/datasets/${NO_ID}/records?include=vectors,vectors:a&include=vectors:b:c`))
  })

  test('credentials, before the shape', async () => {
    expectUnauthorized(await world.nobody.send(search('x', '?limit=0'), { filters: 3 }))
  })

  test('the shape of path, query and body in one answer, before rights', async () => {
    const answer = await world.strangerAnnotator.send(search('x', '?limit=0&offset=a'), { filters: { and: [] } })
    expect(answer.status).toBe(422)
    expectProblem(answer, 'uuid_parsing', 'path', 'dataset_id')
    expectProblems(answer, [
      ['uuid_parsing', 'path', 'dataset_id'],
      ['int_parsing', 'query', 'offset'],
      ['greater_than_equal', 'query', 'limit'],
      ['too_short', 'body', 'filters', 'and'],
    ])
    expectProblem(await world.strangerAnnotator.send('POST /users', {}), 'missing', 'body', 'username')
  })

  test('existence and rights, before rules', async () => {
    expectRefused(await world.strangerAdmin.send(search(NO_ID), { query: { vector: { name: 'none', value: [1] } } }), 404)
    expectForbidden(await world.strangerAdmin.send(search(dataset.id), { query: { vector: { name: 'none', value: [1] } } }))
    expectForbidden(await world.strangerAdmin.send(`POST ${dataset.path}/records/bulk`, { items: [{ fields: { text: 'a' } }] }))
    expectRefused(await world.owner.send(`POST ${dataset.path}/records/bulk`, { items: [{ fields: { text: 'a' } }] }))
  })
})
