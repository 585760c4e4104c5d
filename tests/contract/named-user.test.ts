/** `X-Postil-User`: a request that names its user is accepted for that user only. */
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectUnauthorized } from './answers.ts'
import { aDataset, type BuiltDataset, first, SMALL } from './datasets.ts'
import { type EventReader, readEventsWith } from './event-reader.ts'
import { closeConnections, openConnection, requestText } from './hostile/raw-socket.ts'
import { type Answer, type Caller, fresh, openWorld, type World } from './http.ts'

const PASSWORD = 'a long password'
const CSRF = { 'x-postil-csrf': '1' }

let world: World
let dataset: BuiltDataset
let me: Caller
let other: Caller
const readers: EventReader[] = []
beforeAll(async () => {
  world = await openWorld()
  dataset = await aDataset(world, SMALL)
  me = world.memberAnnotator
  other = world.owner
})
afterEach(() => {
  closeConnections()
  for (const reader of readers.splice(0)) reader.close()
})
afterAll(() => world?.close())

const naming = (id: string) => ({ 'x-postil-user': id })

function expectWrongUser(answer: Pick<Answer, 'status' | 'text'>, where = 'X-Postil-User'): void {
  expect(JSON.parse(answer.text)).toEqual({ code: 'wrong_user', detail: expect.stringContaining(where) })
  expect(answer.status).toBe(409)
  // The error reveals neither the owner of the credentials nor the value sent.
  for (const { id, username } of [me, other]) {
    expect(answer.text).not.toContain(id)
    expect(answer.text).not.toContain(username)
  }
}

/** Returns headers with each kind of credentials of the same user. */
async function credentialsOf({ username, key }: Caller): Promise<Record<string, Record<string, string>>> {
  const form = new URLSearchParams({ username, password: PASSWORD })
  const token = (await world.nobody.done<{ access_token: string }>('POST /token', form)).access_token
  const signedIn = await world.nobody.send<User>('POST /session', { username, password: PASSWORD })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  return {
    'API key': { 'x-argilla-api-key': key ?? '' },
    'bearer token': { authorization: `Bearer ${token}` },
    'session cookie': { cookie, ...CSRF },
  }
}

describe.each(['API key', 'bearer token', 'session cookie'])('a request with %s', kind => {
  let credentials: Record<string, string>
  beforeAll(async () => {
    credentials = (await credentialsOf(me))[kind] ?? {}
  })
  const send = (request: string, headers: Record<string, string>, body?: unknown) =>
    world.nobody.send<User>(request, body, { ...credentials, ...headers })

  test('is answered when it names its own user, or nobody', async () => {
    for (const headers of [naming(me.id), {}]) {
      const answer = await send('GET /me', headers)
      expect([answer.status, answer.body.id]).toEqual([200, me.id])
    }
  })

  test('is refused when it names another user', async () => {
    expectWrongUser(await send('GET /me', naming(other.id)))
    expectWrongUser(await send('PUT /me/password', naming(other.id), { current_password: PASSWORD, new_password: 'changed' }))
    expect((await send('GET /me', {})).status).toBe(200)
  })

  test('is refused when the user it names is not one', async () => {
    for (const value of [
      '',
      ' ',
      'null',
      'undefined',
      me.username,
      me.id.slice(1),
      `${me.id}x`,
      `"${me.id}"`,
      'é',
      '__proto__',
    ]) {
      expectWrongUser(await send('GET /me', naming(value)))
    }
  })
})

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused when it names another user', async method => {
  const request = {
    GET: 'GET /workspaces/ID',
    POST: 'POST /workspaces',
    PUT: 'PUT /datasets/ID/publish',
    PATCH: 'PATCH /datasets/ID',
    DELETE: 'DELETE /datasets/ID',
  }[method]
  const [line = '', body] = [request?.replace('ID', dataset.id), method === 'POST' ? { name: fresh('refused') } : undefined]
  expectWrongUser(await other.send(line, body, naming(me.id)))
})

test('a refused write writes nothing', async () => {
  const name = fresh('workspace')
  expectWrongUser(await other.send('POST /workspaces', { name }, naming(me.id)))
  const names = async () => (await other.done<{ items: Workspace[] }>('GET /me/workspaces')).items.map(item => item.name)
  expect(await names()).not.toContain(name)
  expect((await other.send('POST /workspaces', { name }, naming(other.id))).status).toBe(201)
  expect(await names()).toContain(name)
})

test('it is refused before its rights, its path and its body are looked at', async () => {
  expectWrongUser(await me.send('GET /users', undefined, naming(other.id)))
  expectWrongUser(await me.send('GET /records/no-id', undefined, naming(other.id)))
  expectWrongUser(await me.send('POST /workspaces', '{', { ...naming(other.id), 'content-type': 'application/json' }))
})

test('several values are refused, also when all of them are right', async () => {
  for (const ids of [
    [me.id, other.id],
    [me.id, me.id],
  ]) {
    const connection = await openConnection(world)
    const named = ids.map(id => `X-Postil-User: ${id}`)
    connection.write(requestText('GET /api/v1/me', [`X-Argilla-Api-Key: ${me.key}`, ...named]))
    const answer = first(await connection.answers(1))
    expectWrongUser({ status: answer.status, text: answer.body })
  }
})

test('without accepted credentials it stays unauthenticated', async () => {
  for (const id of [me.id, 'null']) {
    expectUnauthorized(await world.nobody.send('GET /me', undefined, naming(id)))
    expectUnauthorized(await world.nobody.send('GET /me', undefined, { ...naming(id), 'x-argilla-api-key': 'wrong' }))
  }
})

test('routes that need no credentials do not look at it', async () => {
  expect((await world.nobody.send('GET /version', undefined, naming(other.id))).status).toBe(200)
  const body = { username: me.username, password: PASSWORD }
  expect((await world.nobody.send('POST /session', body, naming(other.id))).status).toBe(201)
})

test('an event stream is opened for the user it names, and for nobody else', async () => {
  const path = `GET /me/datasets/${dataset.id}/events`
  expectWrongUser(await me.send(path, undefined, naming(other.id)))
  expectWrongUser(await me.send(`${path}?user_id=${other.id}`), 'user_id')
  const headers = { 'x-argilla-api-key': me.key ?? '', ...naming(me.id) }
  const reader = await readEventsWith(world.server.url, headers, dataset.id)
  readers.push(reader)
  expect(reader.status).toBe(200)
  await reader.waitFor('progress')
  // Browsers cannot send headers with event streams.
  expect((await me.send(`${path}?user_id=nobody`)).status).toBe(422)
  const named = await fetch(`${world.server.url}/api/v1/me/datasets/${dataset.id}/events?user_id=${me.id}`, {
    headers: { 'x-argilla-api-key': me.key ?? '' },
  })
  expect(named.status).toBe(200)
  await named.body?.cancel()
})
