/** Audit log entries of signing in with providers. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { actAs } from '../../testing/context.ts'
import { openSignInLog, type SignInLog } from '../audit-log/sign-in-log.ts'
import { insertAuditEntries } from '../audit-log/store.ts'
import { deactivateUser } from '../users/deactivate.ts'
import { deleteUser } from '../users/delete.ts'
import { signInForToken } from './sign-in.ts'
import { type HostileProvider, openHostileProvider } from './testing/hostile-provider.ts'
import { openSignInServer, type SignInServer } from './testing/people.ts'

const CLIENT = { client_id: 'postil', client_secret: 'a secret' }

let oidc: HostileProvider
let signIns: SignInLog
let server: SignInServer
beforeAll(async () => {
  oidc = await openHostileProvider()
  const add: SignInLog['add'] = attempt => signIns.add(attempt)
  server = await openSignInServer(
    {
      providers: [
        { name: 'campus', title: 'Campus', issuer: oidc.url, ...CLIENT },
        { name: 'keycloak', issuer: oidc.url, ...CLIENT, sync_user: true },
      ],
      allowed_workspaces: [{ name: 'first' }],
    },
    { signIns: { add, flush: async () => {}, close: async () => {} } },
  )
})
afterAll(async () => {
  await server.close()
  await oidc.close()
})

let seen = 0
beforeEach(async () => {
  const { ctx } = server
  signIns = openSignInLog({ ctx, store: entries => insertAuditEntries(ctx.db, entries) })
  await listNew()
})

/** Lists the entries since the last call, oldest first. */
async function listNew() {
  await signIns.flush()
  const text = 'select no, action, actor_id, target_id, target_name, details from audit_entries where no > ? order by no'
  const rows = await server.ctx.db.sql.all<Record<string, string> & { no: number; details: string }>(text, [seen])
  seen = rows.at(-1)?.no ?? seen
  return rows.map(({ no: _no, details, ...row }) => ({ ...row, details: JSON.parse(details) }))
}

const signIn = (provider: string, claims: object) => server.browser().signIn(provider, to => oidc.grant(to, claims as never))

test('somebody new: the workspace that was made, the user, and the session', async () => {
  const { user } = await signIn('campus', { sub: '1', preferred_username: 'ines' })
  const about = { target_id: user.id, target_name: 'ines' }
  expect(await listNew()).toMatchObject([
    { action: 'workspace.created', actor_id: null, target_name: 'first', details: { provider: 'campus' } },
    {
      action: 'user.created',
      actor_id: null,
      ...about,
      details: { role: 'annotator', workspaces: ['first'], provider: 'campus' },
    },
    { action: 'user.signed_in', actor_id: user.id, ...about, details: { method: 'session', provider: 'campus' } },
  ])
  await signIn('campus', { sub: '1', preferred_username: 'ines' })
  expect(await listNew()).toMatchObject([{ action: 'user.signed_in' }])
})

test('a token', async () => {
  const { user } = await signIn('campus', { sub: '2', preferred_username: 'omar' })
  await listNew()
  const browser = server.browser()
  const { code, state } = oidc.grant(await browser.begin('campus'), { sub: '2', preferred_username: 'omar' })
  expect((await browser.send(`GET /oauth2/providers/campus/access-token?code=${code}&state=${state}`)).status).toBe(200)
  expect(await listNew()).toMatchObject([
    { action: 'user.signed_in', actor_id: user.id, details: { method: 'token', provider: 'campus' } },
  ])
})

test('role and memberships that follow the provider', async () => {
  const person = (roles: string[]) => ({ sub: '3', preferred_username: 'kim', realm_access: { roles } })
  await signIn('keycloak', person(['argilla_role:admin', 'argilla_workspace:first']))
  await listNew()
  await signIn('keycloak', person(['argilla_role:annotator', 'argilla_workspace:second']))
  expect(await listNew()).toMatchObject([
    { action: 'workspace.created', target_name: 'second' },
    { action: 'workspace.user_removed', target_name: 'first', details: { user: { username: 'kim' }, provider: 'keycloak' } },
    { action: 'workspace.user_added', target_name: 'second', details: { user: { username: 'kim' }, provider: 'keycloak' } },
    { action: 'user.updated', target_name: 'kim', details: { role: { from: 'admin', to: 'annotator' }, provider: 'keycloak' } },
    { action: 'user.signed_in', target_name: 'kim' },
  ])
})

test('what was refused, without what the browser brought along', async () => {
  const browser = server.browser()
  const { state } = oidc.grant(await browser.begin('campus'), { sub: '4', preferred_username: 'x' })
  expect((await browser.finish('campus', { state: String(state), error: 'access_denied' })).status).toBe(401)
  const added = await listNew()
  expect(added).toMatchObject([
    {
      action: 'user.sign_in_failed',
      actor_id: null,
      target_id: null,
      details: { reason: 'provider_refused', provider: 'campus' },
    },
  ])
  expect(JSON.stringify(added)).not.toContain(state)
})

test('a deactivated user is refused and named, and no session begins', async () => {
  const owner = await actAs(server.ctx, 'owner')
  const { user } = await signIn('campus', { sub: '5', preferred_username: 'pablo' })
  await deactivateUser(owner, user.id)
  await listNew()
  const browser = server.browser()
  const answer = await browser.finish(
    'campus',
    oidc.grant(await browser.begin('campus'), { sub: '5', preferred_username: 'pablo' }),
  )
  expect(answer).toMatchObject({
    status: 401,
    body: { detail: { params: { detail: expect.stringContaining('This account is deactivated') } } },
  })
  expect(await listNew()).toMatchObject([
    { action: 'user.sign_in_failed', target_id: user.id, details: { reason: 'deactivated', provider: 'campus' } },
  ])
  // The same result if it happens between the check and the write.
  const identity = {
    provider: 'campus',
    issuer: oidc.url,
    subject: '5',
    username: 'pablo',
    first_name: 'Pablo',
    role: null,
    workspaces: null,
  }
  const finished = { identity, state_hash: 'a hash', return_to: '/', cookie_name: 'c' }
  await expect(signInForToken(owner, finished)).rejects.toMatchObject({ code: 'deactivated' })
  expect(await server.ctx.db.sql.all('select 1 from sessions where user_id = ?', [user.id])).toEqual([])
})

test('nobody signs in as the pseudonym of a deleted user', async () => {
  const owner = await actAs(server.ctx, 'owner')
  const first = await signIn('campus', { sub: '6', preferred_username: 'zoe' })
  await deleteUser(owner, first.user.id, 'keep')
  const again = await signIn('campus', { sub: '6', preferred_username: 'zoe' })
  expect(again.user.id).not.toBe(first.user.id)
})
