/** Names of users and workspaces over every route that takes them: their form, and names that look like existing ones. */
import type { CreatedInvitation } from '@postil/domain/invitations'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSkeleton } from '../../packages/server/src/lib/skeleton-hash.ts'
import { runRows } from '../databases/rows.ts'
import { type Answer, aUser, fresh, openWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const PASSWORD = 'a long password'
const person = (username: string) => ({ username, first_name: 'Lena', password: PASSWORD })
const anInvitation = (given: object = {}) => world.owner.done<CreatedInvitation>('POST /invitations', given)

/** Sends a name through a route that stores it. */
interface Entrance {
  via: string
  send: (name: string) => Promise<Answer>
  /** Returns the name that was stored. */
  stored: (answer: Answer) => string
}

const usernameOf = ({ body }: Answer) => (body as User).username
const USERNAMES: Entrance[] = [
  { via: 'POST /users', send: name => world.owner.send('POST /users', person(name)), stored: usernameOf },
  {
    via: 'PATCH /users/:id',
    send: async name => {
      const user = await aUser(world.server.url, world.owner, 'annotator')
      return world.owner.send(`PATCH /users/${user.id}`, { username: name })
    },
    stored: usernameOf,
  },
  { via: 'POST /invitations', send: name => world.owner.send('POST /invitations', { username: name }), stored: usernameOf },
  {
    via: 'POST /invitations/accept',
    send: async name => world.nobody.send('POST /invitations/accept', { token: (await anInvitation()).token, ...person(name) }),
    stored: usernameOf,
  },
]
const WORKSPACES: Entrance[] = [
  {
    via: 'POST /workspaces',
    send: name => world.owner.send('POST /workspaces', { name }),
    stored: ({ body }) => (body as Workspace).name,
  },
]
const existingUser = async () => {
  const username = fresh('jasper')
  await world.owner.done('POST /users', person(username))
  return username
}
const existingWorkspace = async () => (await world.owner.done<Workspace>('POST /workspaces', { name: fresh('jasper') })).name
const ENTRANCES = [
  ...USERNAMES.map(entrance => ({ ...entrance, existing: existingUser })),
  ...WORKSPACES.map(entrance => ({ ...entrance, existing: existingWorkspace })),
]

/** Sent as a name, so that each test reads alike for all entrances. */
const detailOf = ({ body }: Answer) => (body as { detail: string }).detail

describe.each(ENTRANCES)('a name through $via', ({ via, send, stored, existing }) => {
  test.each([
    ['a space after it', (name: string) => `${name} `, 'white space'],
    ['a wide space before it', (name: string) => `\u3000${name}`, 'white space'],
    ['a zero-width space', (name: string) => `${name}\u200b`, 'U+200B'],
    ['a zero-width joiner', (name: string) => `${name}\u200d`, 'U+200D'],
    ['a change of direction', (name: string) => `\u202e${name}`, 'U+202E'],
    ['a control character', (name: string) => `${name}\u0007`, 'U+0007'],
    ['nothing to see', () => '\ufe0f', 'visible'],
  ])('is refused with %s', async (_what, disguise, reason) => {
    const answer = await send(disguise(await existing()))
    expect([answer.status, detailOf(answer)]).toEqual([422, expect.stringContaining(reason)])
  })

  test.each([
    ['Cyrillic letters', (name: string) => name.replace('jasper', 'јаѕреr')],
    ['Greek letters', (name: string) => name.replace('jasper', 'jasρer')],
    ['mathematical letters', (name: string) => name.replace('jas', '𝗷𝗮𝘀')],
    ['a mark that nobody sees', (name: string) => `${name}\ufe0e`],
  ])('is refused if it looks like an existing one with %s', async (_what, disguise) => {
    const name = await existing()
    const answer = await send(disguise(name))
    expect([answer.status, detailOf(answer)]).toEqual([409, expect.stringContaining('look')])
    // A person without an account must not learn the names of others.
    if (via === 'POST /invitations/accept') expect(detailOf(answer)).not.toContain(`\`${name}\``)
    else expect(detailOf(answer)).toContain(`\`${name}\``)
  })

  test('is stored in NFC, and its other form is the same name', async () => {
    const name = fresh('Åsa-Ünï')
    const answer = await send(name.normalize('NFD'))
    expect([answer.status, stored(answer)]).toEqual([expect.any(Number), name.normalize('NFC')])
    // A second invitation for the same name is none: nobody has the name yet.
    if (via === 'POST /invitations') return
    const status = via === 'PATCH /users/:id' ? 422 : 409
    expect((await send(name)).status).toBe(status)
    expect((await send(name.normalize('NFD'))).status).toBe(status)
  })

  test('may be of any script, and differ in case', async () => {
    const name = `山田 ${fresh('ñandú')} 🦀`
    expect((await send(name)).status).toBeLessThan(300)
    expect((await send(name.replace('ñ', 'Ñ'))).status).toBeLessThan(300)
  })
})

describe('legacy routes', () => {
  test.each([
    { via: 'POST /api/users', send: (name: string) => world.owner.send('POST /api/users', person(name)), existing: existingUser },
    {
      via: 'POST /api/workspaces',
      send: (name: string) => world.owner.send('POST /api/workspaces', { name }),
      existing: existingWorkspace,
    },
  ])('refuse a name that looks like an existing one: $via', async ({ send }) => {
    const name = fresh('lisa')
    expect((await send(name)).status).toBe(200)
    const answer = await send(name.replace('lisa', '1isa'))
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`\`${name}\``)])
  })
})

describe('names from before', () => {
  /** Stores a name as releases without the rule did. */
  const aDisguised = async (username: string) => {
    const user = await aUser(world.server.url, world.owner, 'annotator', { password: PASSWORD })
    const text = 'update users set username = ?, username_skeleton = ? where id = ?'
    await runRows(world.server, text, [username, hashSkeleton(username), user.id])
    return user
  }

  test.each([
    ['a space after it', () => `${fresh('old')} `],
    ['a zero-width space', () => `${fresh('old')}\u200b`],
    ['NFD', () => fresh('Åke').normalize('NFD')],
  ])('keep working with %s: sign-in, lists and changes of other properties', async (_what, name) => {
    const username = name()
    const user = await aDisguised(username)
    const signedIn = await world.nobody.send('POST /session', { username, password: PASSWORD })
    expect([signedIn.status, (signedIn.body as User).username]).toEqual([201, username])
    const changed = await world.owner.done<User>(`PATCH /users/${user.id}`, { username, first_name: 'Åke' })
    expect(changed).toMatchObject({ username, first_name: 'Åke' })
    const { items } = await world.owner.done<{ items: User[] }>('GET /users')
    expect(items.map(one => one.username)).toContain(username)
  })

  test('may be changed to the form that is allowed', async () => {
    const username = fresh('Åke').normalize('NFD')
    const user = await aDisguised(username)
    const changed = await world.owner.done<User>(`PATCH /users/${user.id}`, { username: username.normalize('NFC') })
    expect(changed.username).toBe(username.normalize('NFC'))
  })

  test('cannot be taken in the form that is allowed', async () => {
    const name = fresh('old')
    await aDisguised(`${name} `)
    const answer = await world.owner.send('POST /users', person(name))
    expect([answer.status, detailOf(answer)]).toEqual([409, expect.stringContaining(`\`${name} \``)])
  })

  test('an invitation for such a name cannot be accepted', async () => {
    const { token, id } = await anInvitation({ username: fresh('old') })
    const username = `${fresh('old')}\u200b`
    await runRows(world.server, 'update invitations set username = ? where id = ?', [username, id])
    expect((await world.nobody.send('POST /invitations/accept', { token, ...person(username) })).status).toBe(422)
  })
})

test('a person signs in with either form of their name', async () => {
  const username = fresh('Åsa')
  await world.owner.done('POST /users', person(username))
  for (const form of ['NFC', 'NFD']) {
    const answer = await world.nobody.send('POST /session', { username: username.normalize(form), password: PASSWORD })
    expect(answer.status).toBe(201)
  }
})

test('a name is free again after its user was deleted, but not while a pseudonym has it', async () => {
  const gone = await aUser(world.server.url, world.owner, 'annotator', { username: fresh('jasper') })
  await world.owner.done(`DELETE /users/${gone.id}`)
  expect((await world.owner.send('POST /users', person(gone.username.replace('a', 'а')))).status).toBe(201)

  const kept = await aUser(world.server.url, world.owner, 'annotator')
  await world.owner.done(`DELETE /users/${kept.id}?responses=keep`)
  const [pseudonym] = await runRows<{ username: string }>(world.server, 'select username from users where id = ?', [kept.id])
  const lookalike = (pseudonym?.username ?? '').replace('deleted', 'dеleted')
  expect((await world.owner.send('POST /users', person(lookalike))).status).toBe(409)
})

test('of names that look alike and are added at the same time, one is stored', async () => {
  const name = fresh('oscar-aoa')
  const places = [...'oa'].flatMap(letter => [...name.matchAll(new RegExp(letter, 'g'))].map(({ index }) => index))
  const twin = { o: 'о', a: 'а' } as Record<string, string>
  const names = [name, ...places.map(at => name.slice(0, at) + twin[name[at] as string] + name.slice(at + 1))]
  const users = await Promise.all(names.map(username => world.owner.send('POST /users', person(username))))
  expect(users.map(({ status }) => status).toSorted()).toEqual([201, ...names.slice(1).map(() => 409)])
  const workspaces = await Promise.all(names.map(one => world.owner.send('POST /workspaces', { name: one })))
  expect(workspaces.map(({ status }) => status).toSorted()).toEqual([201, ...names.slice(1).map(() => 409)])
})
