/** Invitation links over HTTP: their contents, permissions, and that each works once. */
import type { CreatedInvitation, Invitation, InvitationOffer, InvitationPage } from '@postil/domain/invitations'
import type { User } from '@postil/domain/users'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRows } from '../databases/rows.ts'
import { expectForbidden, expectRefused } from './answers.ts'
import { type Answer, anAddress, aUser, aWorkspace, caller, fresh, openWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const PASSWORD = 'a long password'

const invite = (given: object = {}) => world.owner.done<CreatedInvitation>('POST /invitations', given)
const lookUp = (token: string) => world.nobody.send<InvitationOffer>('POST /invitations/lookup', { token })
const accept = (token: string, given: object = {}) =>
  world.nobody.send<User>('POST /invitations/accept', {
    token,
    username: fresh('lena'),
    first_name: 'Lena',
    password: PASSWORD,
    ...given,
  })
const revoke = ({ id }: Invitation) => world.owner.send<Invitation>(`DELETE /invitations/${id}`)
const list = (query = '') => world.owner.done<InvitationPage>(`GET /invitations?limit=100${query}`)
const readOf = async ({ id }: Invitation) => (await list()).items.find(item => item.id === id)

/** Expects the error for an invitation that cannot be used. */
const expectEnded = (answer: Answer, reason: RegExp) =>
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 409,
    body: { detail: expect.stringMatching(reason), code: 'conflict' },
  })

/** Sets the expiry time to the past. */
const expire = ({ id }: Invitation) =>
  runRows(world.server, "update invitations set expires_at = '2020-01-01T00:00:00.000000' where id = ?", [id])

describe('an invitation', () => {
  test('offers a role and workspaces, and nothing about who made it', async () => {
    const { name } = await world.owner.done<{ name: string }>(`GET /workspaces/${world.workspaceId}`)
    const username = fresh('lena')
    const invitation = await invite({ username, role: 'admin', workspace_ids: [world.workspaceId], expires_in_hours: 2 })
    expect(invitation).toMatchObject({
      username,
      role: 'admin',
      workspaces: [{ id: world.workspaceId, name }],
      status: 'open',
      invited_by: { id: world.owner.id, username: world.owner.username },
      accepted_by: null,
      token: expect.stringMatching(/^[\w-]{43}$/),
    })
    const hours = (Date.parse(`${invitation.expires_at}Z`) - Date.parse(`${invitation.inserted_at}Z`)) / 3_600_000
    expect(hours).toBeCloseTo(2, 4)
    const { expires_at } = invitation
    expect((await lookUp(invitation.token)).body).toEqual({ username, role: 'admin', workspaces: [name], expires_at })
  })

  test('lasts three days for an annotator without workspaces, if nothing else is said', async () => {
    const { role, workspaces, username, inserted_at, expires_at } = await invite()
    expect({ role, workspaces, username }).toEqual({ role: 'annotator', workspaces: [], username: null })
    expect((Date.parse(`${expires_at}Z`) - Date.parse(`${inserted_at}Z`)) / 3_600_000).toBeCloseTo(72, 4)
  })

  test('creates the user, a member of the workspaces, and signs them in', async () => {
    const invitation = await invite({ workspace_ids: [world.workspaceId, world.otherWorkspaceId] })
    const username = fresh('lena')
    const answer = await accept(invitation.token, { username, last_name: ' Roth ' })
    expect({ status: answer.status, cache: answer.headers.get('cache-control') }).toEqual({ status: 201, cache: 'no-store' })
    expect(answer.body).toMatchObject({ username, first_name: 'Lena', last_name: 'Roth', role: 'annotator' })

    const cookies = answer.headers.getSetCookie()
    for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly; SameSite=Strict;/)
    const cookie = cookies.map(text => text.split(';')[0]).join('; ')
    const me = await world.nobody.send<User>('GET /me', undefined, { cookie })
    expect(me.body).toMatchObject({ id: answer.body.id, api_key: answer.body.api_key })
    const theirs = await caller(world.server.url, answer.body.api_key).done<{ items: { id: string }[] }>('GET /me/workspaces')
    expect(theirs.items.map(({ id }) => id).toSorted()).toEqual([world.workspaceId, world.otherWorkspaceId].toSorted())
    const session = await world.nobody.send('POST /session', { username, password: PASSWORD })
    expect(session.status).toBe(201)
    const accepted_by = { id: answer.body.id, username }
    expect(await readOf(invitation)).toMatchObject({ status: 'accepted', accepted_by })
  })

  test('stores no token', async () => {
    const { token, id } = await invite()
    const rows = await runRows(world.server, 'select * from invitations where id = ?', [id])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(await list())).not.toContain(token)
  })

  test('leaves out workspaces that were deleted since', async () => {
    const workspace = await aWorkspace(world.owner)
    const { token } = await invite({ workspace_ids: [workspace] })
    await world.owner.done(`DELETE /workspaces/${workspace}`)
    expect((await lookUp(token)).body.workspaces).toEqual([])
    expect((await accept(token)).status).toBe(201)
  })
})

describe('who may invite', () => {
  test('owners only: only they may create users and add members', async () => {
    const invitation = await invite()
    for (const who of ['memberAdmin', 'memberAnnotator'] as const) {
      expectForbidden(await world[who].send('POST /invitations', { workspace_ids: [world.workspaceId] }))
      expectForbidden(await world[who].send('GET /invitations'))
      expectForbidden(await world[who].send(`DELETE /invitations/${invitation.id}`))
    }
    expect((await lookUp(invitation.token)).status).toBe(200)
  })

  test('a username that is taken and workspaces that do not exist are refused', async () => {
    expectRefused(await world.owner.send('POST /invitations', { username: world.memberAdmin.username }), 409)
    const unknown = '0190b9d0-0000-7000-8000-00000000abcd'
    const answer = await world.owner.send('POST /invitations', { workspace_ids: [world.workspaceId, unknown] })
    expect(answer).toMatchObject({ status: 422, body: { detail: `at workspace_ids: There is no workspace with id: ${unknown}` } })
  })

  test('what an owner left open ends when they are deactivated, and when they are not an owner any more', async () => {
    for (const end of ['deactivate', 'demote']) {
      const other = await aUser(world.server.url, world.owner, 'owner')
      const invitation = await other.done<CreatedInvitation>('POST /invitations', {})
      if (end === 'demote') await world.owner.done(`PATCH /users/${other.id}`, { role: 'admin' })
      else await world.owner.done(`POST /users/${other.id}/deactivate`)
      expectEnded(await lookUp(invitation.token), /revoked/)
      expectEnded(await accept(invitation.token), /revoked/)
      expect(await readOf(invitation)).toMatchObject({ status: 'revoked' })
    }
  })
})

describe('an invitation that cannot be used', () => {
  test('a token that does not exist', async () => {
    for (const token of ['x', 'A'.repeat(43), '%00', 'ü'.repeat(43)]) {
      expectRefused(await lookUp(token), 404)
      expectRefused(await accept(token), 404)
    }
  })

  test('expired', async () => {
    const invitation = await invite()
    await expire(invitation)
    expectEnded(await lookUp(invitation.token), /expired/)
    expectEnded(await accept(invitation.token), /expired/)
    expect(await readOf(invitation)).toMatchObject({ status: 'expired' })
  })

  test('revoked; once more changes nothing', async () => {
    const invitation = await invite()
    const { token: _token, ...shown } = invitation
    for (const _again of [1, 2])
      expect(await revoke(invitation)).toMatchObject({ status: 200, body: { ...shown, status: 'revoked' } })
    expectEnded(await lookUp(invitation.token), /revoked/)
    expectEnded(await accept(invitation.token), /revoked/)
  })

  test('used twice', async () => {
    const invitation = await invite()
    expect((await accept(invitation.token)).status).toBe(201)
    expectEnded(await lookUp(invitation.token), /used already/)
    expectEnded(await accept(invitation.token), /used already/)
    expectEnded(await revoke(invitation), /has accepted/)
  })

  test('several people at once: one of them gets in, and one user is made', async () => {
    const { token } = await invite()
    const names = Array.from({ length: 6 }, () => fresh('racer'))
    const answers = await Promise.all(names.map(username => accept(token, { username })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
    const { items } = await world.owner.done<{ items: User[] }>('GET /users')
    expect(items.filter(({ username }) => names.includes(username))).toHaveLength(1)
  })

  test('revoked and accepted at once: never both', async () => {
    for (let round = 0; round < 5; round++) {
      const invitation = await invite()
      const [revoked, accepted] = await Promise.all([revoke(invitation), accept(invitation.token)])
      expect([revoked.status, accepted.status].toSorted()).toEqual(revoked.status === 200 ? [200, 409] : [201, 409])
    }
  })
})

describe('the username', () => {
  test('is the one of the invitation, if it has one', async () => {
    const username = fresh('lena')
    const { token } = await invite({ username })
    const answer = await accept(token, { username: fresh('other') })
    expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringContaining(`\`${username}\``) } })
    expect((await accept(token, { username })).status).toBe(201)
  })

  test('must be free; the invitation then stays open', async () => {
    const { token } = await invite()
    expectRefused(await accept(token, { username: world.memberAdmin.username }), 409)
    expect((await accept(token)).status).toBe(201)
  })
})

test('pages of another origin cannot accept in somebody’s browser', async () => {
  const { token } = await invite()
  const body = { token, username: fresh('lena'), first_name: 'Lena', password: PASSWORD }
  expectForbidden(await world.nobody.send('POST /invitations/accept', body, { 'sec-fetch-site': 'cross-site' }))
  expect((await lookUp(token)).status).toBe(200)
})

test('wrong tokens of one address are slowed down, and do not disturb others', async () => {
  const send = (address: string, token: string) =>
    world.nobody.send('POST /invitations/lookup', { token }, { 'x-forwarded-for': address })
  const address = anAddress()
  const guesses = await Promise.all(Array.from({ length: 80 }, () => send(address, 'B'.repeat(43))))
  expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([404, 429]))
  const { token } = await invite()
  expect((await send(anAddress(), token)).status).toBe(200)
})

test('the list is paged, newest first, and filtered by status', async () => {
  const made = [await invite(), await invite(), await invite()].reverse()
  const first = await world.owner.done<InvitationPage>('GET /invitations?limit=2&status=open')
  expect(first.items.map(({ id }) => id)).toEqual(made.slice(0, 2).map(({ id }) => id))
  const second = await world.owner.done<InvitationPage>(`GET /invitations?limit=1&before=${first.next}`)
  expect(second.items.map(({ id }) => id)).toEqual([made[2]?.id])
  expect((await list('&status=revoked')).items.every(({ status }) => status === 'revoked')).toBe(true)
})

test('a deleted user leaves no invitation with their name', async () => {
  for (const query of ['', '?responses=keep']) {
    const username = fresh('gone')
    const { token } = await invite({ username })
    const { body } = await accept(token, { username })
    await world.owner.done(`DELETE /users/${body.id}${query}`)
    expect(await runRows(world.server, 'select id from invitations where username = ?', [username])).toEqual([])
    expectRefused(await lookUp(token), 404)
  }
})
