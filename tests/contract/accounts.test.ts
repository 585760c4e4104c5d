/** When credentials are revoked, and which data of deleted users remains: with real credentials over HTTP. */
import type { DatasetRecord } from '@postil/domain/records'
import type { User } from '@postil/domain/users'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefused, expectUnauthorized } from './answers.ts'
import { aDataset, aRecord, readRecord, SMALL, submitted } from './datasets.ts'
import { type Answer, aMember, aUser, type Caller, caller, fresh, openWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const PASSWORD = 'a long password'
const OTHER = 'another password'

const KINDS = ['key', 'token', 'session'] as const
type Kind = (typeof KINDS)[number]
type Headers = Record<string, string>

const askToken = (username: string, password = PASSWORD) =>
  world.nobody.send<{ access_token: string }>('POST /token', new URLSearchParams({ username, password }))
const askSession = (username: string, password = PASSWORD) => world.nobody.send<User>('POST /session', { username, password })

/** Returns headers with each kind of credentials. */
async function credentialsOf({ username, key }: Caller): Promise<Record<Kind, Headers>> {
  const { body } = await askToken(username)
  const cookie = (await askSession(username)).headers.get('set-cookie')?.split(';')[0] ?? ''
  return { key: { 'x-argilla-api-key': key ?? '' }, token: { authorization: `Bearer ${body.access_token}` }, session: { cookie } }
}

const whoIs = (headers: Headers): Promise<Answer<User>> => world.nobody.send<User>('GET /me', undefined, headers)

/** Returns the kinds of credentials that are still valid. The others must be refused like any invalid ones. */
async function openKinds({ id }: Caller, credentials: Record<Kind, Headers>): Promise<Kind[]> {
  const open: Kind[] = []
  for (const kind of KINDS) {
    const answer = await whoIs(credentials[kind])
    if (answer.status === 200) {
      expect(answer.body.id).toBe(id)
      open.push(kind)
    } else expectUnauthorized(answer)
  }
  return open
}

const patch = (user: Caller, body: object) => world.owner.done(`PATCH /users/${user.id}`, body)
const deactivate = ({ id }: Caller) => world.owner.done<User>(`POST /users/${id}/deactivate`)
const reactivate = ({ id }: Caller) => world.owner.done<User>(`POST /users/${id}/reactivate`)
const remove = ({ id }: Caller, query = '') => world.owner.done<User>(`DELETE /users/${id}${query}`)
const create = (given: object) => aUser(world.server.url, world.owner, 'owner', given)

interface Case {
  what: string
  happen: (user: Caller, credentials: Record<Kind, Headers>) => Promise<unknown>
  open: Kind[]
}

describe('credentials', () => {
  test.each<Case>([
    { what: 'a new username', happen: user => patch(user, { username: fresh('renamed') }), open: ['key', 'token', 'session'] },
    {
      what: 'a new username, while somebody else gets the old one',
      happen: async user => {
        await patch(user, { username: fresh('renamed') })
        await create({ username: user.username })
      },
      open: ['key', 'token', 'session'],
    },
    { what: 'a password reset by an owner', happen: user => patch(user, { password: OTHER }), open: ['key'] },
    { what: 'the same password, set again by an owner', happen: user => patch(user, { password: PASSWORD }), open: ['key'] },
    {
      what: 'a password of their own choice, changed with the key',
      happen: user => user.done('PUT /me/password', { current_password: PASSWORD, new_password: OTHER }),
      open: ['key'],
    },
    {
      what: 'a password of their own choice, changed in this browser',
      happen: async (_user, { session }) => {
        const body = { current_password: PASSWORD, new_password: OTHER }
        const answer = await world.nobody.send('PUT /me/password', body, { ...session, 'x-postil-csrf': '1' })
        expect(answer.status).toBe(204)
      },
      open: ['key', 'session'],
    },
    { what: 'a new role', happen: user => patch(user, { role: 'admin' }), open: ['key', 'session'] },
    {
      what: 'a key reset by an owner',
      happen: ({ id }) => world.owner.done(`POST /users/${id}/api-key`),
      open: ['token', 'session'],
    },
    { what: 'a deactivation', happen: deactivate, open: [] },
    {
      what: 'a deactivation and a reactivation',
      happen: async user => {
        await deactivate(user)
        await reactivate(user)
      },
      open: ['key'],
    },
    { what: 'a deletion', happen: user => remove(user), open: [] },
    { what: 'a deletion that keeps responses', happen: user => remove(user, '?responses=keep'), open: [] },
    {
      what: 'a deletion, and a new user of the same name',
      happen: async user => {
        await remove(user)
        await create({ username: user.username })
      },
      open: [],
    },
    {
      what: 'a deletion, and a new user of the same name and id',
      happen: async user => {
        await remove(user)
        await create({ username: user.username, id: user.id, password: OTHER })
      },
      open: [],
    },
    {
      what: 'a deletion that keeps responses, and a new user of the same name',
      happen: async user => {
        await remove(user, '?responses=keep')
        await create({ username: user.username })
      },
      open: [],
    },
  ])('after $what: $open', async ({ happen, open }) => {
    const user = await aUser(world.server.url, world.owner, 'annotator')
    const credentials = await credentialsOf(user)
    expect(await openKinds(user, credentials)).toEqual([...KINDS])
    await happen(user, credentials)
    expect(await openKinds(user, credentials)).toEqual(open)
  })
})

describe('a deactivated user', () => {
  test('is told so with the right password only, and signs in again once reactivated', async () => {
    const user = await aUser(world.server.url, world.owner, 'annotator')
    await deactivate(user)
    for (const ask of [askToken, askSession]) {
      const [right, wrong, unknown] = [await ask(user.username), await ask(user.username, 'a guess'), await ask('nobody at all')]
      for (const answer of [wrong, unknown]) expectUnauthorized(answer)
      const params = { detail: expect.stringMatching(/Ask an owner/) }
      const body = { code: 'deactivated', detail: { code: 'argilla.api.errors::UnauthorizedError', params } }
      expect([right.status, right.body]).toEqual([401, body])
      expect(wrong.text).toBe(unknown.text)
      expect(right.headers.getSetCookie()).toEqual([])
    }
    await reactivate(user)
    for (const ask of [askToken, askSession]) expect((await ask(user.username)).status).toBe(201)
  })

  test('is shown as such to owners, and nobody else finds another key in the answers', async () => {
    const user = await aMember(world)
    await deactivate(user)
    const path = `GET /workspaces/${world.workspaceId}/users`
    const seenBy = async (reader: Caller) => {
      const { items } = await reader.done<{ items: User[] }>(path)
      return Object.keys(items.find(({ id }) => id === user.id) ?? {}).toSorted()
    }
    const keys = ['api_key', 'first_name', 'id', 'inserted_at', 'last_name', 'role', 'updated_at', 'username']
    expect(await seenBy(world.memberAdmin)).toEqual(keys)
    expect(await seenBy(world.owner)).toEqual([...keys, 'deactivated_at'].toSorted())
    await reactivate(user)
    expect(await seenBy(world.owner)).toEqual(keys)
  })

  test('keeps responses where they counted, and can be given a password, a key and a workspace meanwhile', async () => {
    const user = await aMember(world)
    const dataset = await aDataset(world, SMALL)
    const record = await aRecord(world, dataset)
    await user.done(`POST /records/${record.id}/responses`, submitted())
    await deactivate(user)
    expect(await readRecord(world, record.id)).toMatchObject({ status: 'completed' })
    const progress = await world.owner.done(`GET ${dataset.path}/users/progress`)
    expect(progress).toMatchObject({ users: [{ username: user.username, completed: { submitted: 1 } }] })

    await patch(user, { password: OTHER })
    const { api_key } = await world.owner.done<User>(`POST /users/${user.id}/api-key`)
    await world.owner.done(`POST /workspaces/${world.otherWorkspaceId}/users`, { user_id: user.id })
    const renewed = caller(world.server.url, api_key)
    expectUnauthorized(await renewed.send('GET /me'))
    expect((await askSession(user.username, OTHER)).text).toMatch(/deactivated/)
    await reactivate(user)
    expect((await renewed.send('GET /me')).status).toBe(200)
    expect((await askSession(user.username, OTHER)).status).toBe(201)
  })

  test('is not oneself, and owners stay', async () => {
    const refused = await world.owner.send(`POST /users/${world.owner.id}/deactivate`)
    expectRefused(refused)
    expect(refused.text).toMatch(/yourself/)
    const second = await create({})
    await deactivate(second)
    expectUnauthorized(await second.send(`POST /users/${world.owner.id}/deactivate`))
    expect((await world.owner.send('GET /me')).status).toBe(200)
  })
})

test('a key that an owner resets is in the answer, and the old one ends', async () => {
  const user = await aUser(world.server.url, world.owner, 'annotator')
  const { api_key, updated_at } = await world.owner.done<User>(`POST /users/${user.id}/api-key`)
  expect(api_key).toMatch(/^[A-Za-z0-9_-]{107}$/)
  expectUnauthorized(await user.send('GET /me'))
  expect(await caller(world.server.url, api_key).done('GET /me')).toMatchObject({ id: user.id, api_key, updated_at })
})

describe('a user who is deleted while their responses are kept', () => {
  test('is shown as an author, under a name that tells nothing, and nowhere else', async () => {
    const user = await aMember(world)
    const dataset = await aDataset(world, SMALL)
    const record = await aRecord(world, dataset)
    await user.done(`POST /records/${record.id}/responses`, submitted('sad'))
    await user.done(`POST /records/${record.id}/comments`, { body: 'Look.' })
    await user.done(`PUT /me/records/${record.id}/flag`)
    expect(await remove(user, '?responses=keep')).toMatchObject({ id: user.id, username: user.username })

    const pseudonym = expect.stringMatching(/^deleted-user-[0-9a-f]{6}$/)
    expectRefused(await world.owner.send(`GET /users/${user.id}`), 404)
    for (const list of ['/users', `/workspaces/${world.workspaceId}/users`]) {
      const { items } = await world.owner.done<{ items: User[] }>(`GET ${list}`)
      expect(items.map(({ id }) => id)).not.toContain(user.id)
    }
    const read = await readRecord(world, record.id)
    expect(read).toMatchObject({ status: 'completed', responses: [{ user_id: user.id, values: { mood: { value: 'sad' } } }] })
    expect(await world.owner.done(`GET /records/${record.id}/comments`)).toMatchObject({
      items: [{ body: 'Look.', user_id: user.id, username: pseudonym }],
    })
    expect(await world.owner.done(`GET /records/${record.id}/users/${user.id}/response`)).toMatchObject({
      user: { id: user.id, username: pseudonym },
      response: { status: 'submitted', values: { mood: { value: 'sad' } } },
    })
    expect(await world.owner.done(`GET ${dataset.path}/users/progress`)).toMatchObject({ users: [{ username: pseudonym }] })
    expect(await world.owner.done(`GET ${dataset.path}/progress`)).toMatchObject({ total: 1, completed: 1 })

    // No API response about the dataset contains their name.
    const texts = await Promise.all(
      ['', '/progress', '/users/progress', '/records?include=responses'].map(async path => {
        return (await world.owner.send(`GET ${dataset.path}${path}`)).text
      }),
    )
    expect(texts.join()).not.toContain(user.username)

    // An export with these responses can be imported again.
    const responses = [{ user_id: user.id, ...submitted('calm') }]
    const items = [{ fields: { text: 'An older apple' }, responses }]
    const imported = await world.owner.done<{ items: DatasetRecord[] }>(`POST ${dataset.path}/records/bulk`, { items })
    expect(imported.items).toHaveLength(1)
  })

  test('is not addressed by anything but a deletion', async () => {
    const user = await aMember(world)
    await remove(user, '?responses=keep')
    const refused = [
      `PATCH /users/${user.id}`,
      `POST /users/${user.id}/api-key`,
      `POST /users/${user.id}/deactivate`,
      `POST /users/${user.id}/reactivate`,
      `GET /users/${user.id}/workspaces`,
    ]
    for (const request of refused) {
      expectRefused(await world.owner.send(request, request.startsWith('PATCH') ? { role: 'owner' } : undefined), 404)
    }
    const joining = await world.owner.send(`POST /workspaces/${world.workspaceId}/users`, { user_id: user.id })
    expect([404, 422]).toContain(joining.status)
    const again = await remove(user, '?responses=keep')
    expect(again).toMatchObject({ id: user.id, first_name: 'Deleted user', last_name: null, api_key: null })
    for (const word of [again.username, '', 'pseudonym']) {
      for (const ask of [askToken, askSession]) expectUnauthorized(await ask(word, ''))
    }
  })

  test('leaves nothing once the pseudonym is deleted', async () => {
    const user = await aMember(world)
    const record = await aRecord(world, await aDataset(world, SMALL))
    await user.done(`POST /records/${record.id}/responses`, submitted())
    await remove(user, '?responses=keep')
    await remove(user, '?responses=delete')
    expect(await readRecord(world, record.id)).toMatchObject({ status: 'pending', responses: [] })
    expectRefused(await world.owner.send(`DELETE /users/${user.id}`), 404)
  })
})
