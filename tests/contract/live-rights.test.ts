/** Event streams of users who lose access to the dataset: they receive no further events and end. */
import { setTimeout } from 'node:timers/promises'
import type { User } from '@postil/domain/users'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aDataset, aRecord, type BuiltDataset, SMALL, submitted } from './datasets.ts'
import { type EventReader, readEventsWith } from './event-reader.ts'
import { aMember, type Caller, openWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
const readers: EventReader[] = []
beforeAll(async () => {
  world = await openWorld()
  dataset = await aDataset(world, SMALL)
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
afterAll(() => world?.close())

type Headers = Record<string, string>

const byKey = async (member: Caller): Promise<Headers> => ({ 'x-argilla-api-key': member.key ?? '' })

async function bySession({ username }: Caller): Promise<Headers> {
  const signedIn = await world.nobody.send<User>('POST /session', { username, password: 'a long password' })
  return { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

async function byToken({ username }: Caller): Promise<Headers> {
  const form = new URLSearchParams({ username, password: 'a long password' })
  const { body } = await world.nobody.send<{ access_token: string }>('POST /token', form)
  return { authorization: `Bearer ${body.access_token}` }
}

const removeMember = ({ id }: Caller) => world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${id}`)
const deleteUser = ({ id }: Caller) => world.owner.done(`DELETE /users/${id}`)
const deactivate = ({ id }: Caller) => world.owner.done(`POST /users/${id}/deactivate`)
const resetKey = ({ id }: Caller) => world.owner.done(`POST /users/${id}/api-key`)
const keepResponses = ({ id }: Caller) => world.owner.done(`DELETE /users/${id}?responses=keep`)
const rotateKey = (member: Caller) => member.done('POST /api/v1/me/api-key')
const signOut = async (_member: Caller, headers: Headers) => {
  const answer = await world.nobody.send('DELETE /session', undefined, { ...headers, 'x-postil-csrf': '1' })
  expect(answer.status).toBe(204)
}

/** Opens a stream and waits until the writer thread has registered it. */
async function opened(headers: Headers): Promise<EventReader> {
  const reader = await readEventsWith(world.server.url, headers, dataset.id)
  readers.push(reader)
  await reader.waitFor('progress')
  await setTimeout(200)
  return reader
}

test.each([
  { what: 'is removed from the workspace', credentials: byKey, lose: removeMember },
  { what: 'is removed from the workspace, with a session', credentials: bySession, lose: removeMember },
  { what: 'is removed from the workspace, with a token', credentials: byToken, lose: removeMember },
  { what: 'signs out', credentials: bySession, lose: signOut },
  { what: 'gets another API key', credentials: byKey, lose: rotateKey },
  { what: 'is deleted', credentials: byKey, lose: deleteUser },
  { what: 'is deleted, with a session', credentials: bySession, lose: deleteUser },
  { what: 'is deleted, with a token', credentials: byToken, lose: deleteUser },
  { what: 'is deactivated', credentials: byKey, lose: deactivate },
  { what: 'is deactivated, with a session', credentials: bySession, lose: deactivate },
  { what: 'is deactivated, with a token', credentials: byToken, lose: deactivate },
  { what: 'gets another API key from an owner', credentials: byKey, lose: resetKey },
  { what: 'is deleted while their responses are kept', credentials: bySession, lose: keepResponses },
])('a reader who $what gets nothing of what happens then, and the stream ends', async ({ credentials, lose }) => {
  const member = await aMember(world)
  const record = await aRecord(world, dataset)
  const headers = await credentials(member)
  const [reader, other] = [await opened(headers), await opened(await byKey(world.memberAdmin))]
  const before = reader.events.length
  await lose(member, headers)
  await world.owner.done(`POST /records/${record.id}/comments`, { body: 'Look.' })
  await world.owner.done(`POST /records/${record.id}/responses`, submitted())
  await world.owner.done(`PATCH ${dataset.path}`, { guidelines: member.username })
  await reader.ended
  for (const name of ['comment', 'record-completed', 'settings-changed']) await other.waitFor(name)
  expect(reader.events.slice(before)).toEqual([])
})

test('of two streams of one person, only the one whose credentials are gone ends', async () => {
  const member = await aMember(world)
  const session = await bySession(member)
  const [ends, stays] = [await opened(session), await opened(await byKey(member))]
  await signOut(member, session)
  const record = await aRecord(world, dataset)
  await world.owner.done(`POST /records/${record.id}/comments`, { body: 'Look.' })
  await ends.ended
  await stays.waitFor('comment')
  expect(ends.events.map(({ name }) => name)).not.toContain('comment')
})
