/** Accounts at providers and the users they belong to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFirstOwner } from '../users/create-first-owner.ts'
import { findUserByUsername } from '../users/store.ts'
import { GITHUB_CLIENT, type GitHubServer, openGitHubServer } from './testing/github-server.ts'
import { type HostileProvider, openHostileProvider } from './testing/hostile-provider.ts'
import { openSignInServer, type SignInServer } from './testing/people.ts'

const CLIENT = { client_id: 'postil', client_secret: 'a secret' }

let github: GitHubServer
let oidc: HostileProvider
let server: SignInServer
beforeAll(async () => {
  github = await openGitHubServer()
  oidc = await openHostileProvider()
  server = await openSignInServer({
    providers: [
      { name: 'github', url: github.url, ...GITHUB_CLIENT },
      { name: 'campus', title: 'Campus', issuer: oidc.url, ...CLIENT, default_role: 'admin' },
      { name: 'keycloak', issuer: oidc.url, ...CLIENT, sync_user: true },
    ],
    allowed_workspaces: [{ name: 'first' }, { name: 'second' }],
  })
})
afterAll(async () => {
  await server.close()
  await oidc.close()
  await github.close()
})

const workspacesOf = async (userId: string) => {
  const text =
    'select w.name from workspaces w join workspaces_users m on m.workspace_id = w.id where m.user_id = ? order by w.name'
  return (await server.ctx.db.sql.all<{ name: string }>(text, [userId])).map(({ name }) => name)
}

describe('with a plain OAuth 2.0 provider', () => {
  test('somebody new gets a user, and the same one the next time', async () => {
    const browser = server.browser()
    const { user } = await browser.signIn('github', to => github.grant(to, { id: 7, login: 'lena', name: 'Lena Ortiz' }))
    expect(user).toMatchObject({ username: 'lena', first_name: 'Lena', last_name: null, role: 'annotator' })
    expect((await browser.me()).body).toEqual(user)
    expect(await workspacesOf(user.id)).toEqual(['first', 'second'])

    const again = await server.browser().signIn('github', to => github.grant(to, { id: 7, login: 'renamed', name: null }))
    expect(again.user).toEqual(user)
  })

  test('a bearer token is given to programs, as the contract says', async () => {
    const browser = server.browser()
    const { code, state } = github.grant(await browser.begin('github'), { id: 8, login: 'omar' })
    const answer = await browser.send(`GET /oauth2/providers/github/access-token?code=${code}&state=${state}`)
    expect([answer.status, answer.body]).toEqual([200, { access_token: expect.any(String), token_type: 'bearer' }])
    const me = await browser.send('GET /me', { headers: { authorization: `Bearer ${answer.body.access_token}` } })
    expect(me.body).toMatchObject({ username: 'omar', first_name: 'omar' })
  })

  test('its errors are told, though they come with 200', async () => {
    const browser = server.browser()
    const { state } = github.grant(await browser.begin('github'), { id: 9, login: 'nadia' })
    const answer = await browser.finish('github', { code: 'a guess', state })
    const detail = 'GitHub did not sign you in: The code passed is incorrect or expired.'
    expect([answer.status, answer.body]).toEqual([401, { detail, code: 'provider_refused' }])
  })
})

describe('with an OpenID Connect provider', () => {
  test('somebody new gets the role that the configuration says', async () => {
    const person = { sub: 'u-1', preferred_username: 'ines', given_name: 'Inés', email: 'ines@example.org' }
    const { user, return_to } = await server.browser().signIn('campus', to => oidc.grant(to, person))
    expect([user.username, user.first_name, user.role, return_to]).toEqual(['ines', 'Inés', 'admin', '/'])
  })

  test.each([
    { sub: 'n-1', nickname: 'zoe', email: 'other@example.org', username: 'zoe' },
    { sub: 'n-2', email: 'mail.only@example.org', username: 'mail.only' },
    { sub: 'n-3', name: 'Only Name', username: 'Only Name' },
    { sub: 'n-4', preferred_username: 'a\u202Eb\u0000 c ', username: 'ab c' },
    { sub: 'n-5', preferred_username: 'x'.repeat(500), username: 'x'.repeat(180) },
  ])('the name comes from what there is: $username', async ({ username, ...person }) => {
    const { user } = await server.browser().signIn('campus', to => oidc.grant(to, person))
    expect(user.username).toBe(username)
  })

  test('somebody without any name is told so', async () => {
    const browser = server.browser()
    const answer = await browser.finish(
      'campus',
      oidc.grant(await browser.begin('campus'), { sub: 'n-6', preferred_username: '\u200B' }),
    )
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining('Campus does not tell a username')])
  })

  test('nobody can sign in with a password to such a user', async () => {
    const { user } = await server.browser().signIn('campus', to => oidc.grant(to, { sub: 'p-1', preferred_username: 'pablo' }))
    for (const password of ['', 'pablo', '12345678']) {
      const answer = await server.browser().send('POST /session', { body: { username: user.username, password } })
      expect(answer.status).toBe(401)
    }
  })
})

describe('a name that somebody has', () => {
  test('is no way into their account: not by name, not by e-mail, not from another provider', async () => {
    await createFirstOwner(server.ctx, { username: 'root@example.org', password: 'long enough', apiKey: null, workspace: null })
    const owner = await findUserByUsername(server.ctx.db, 'root@example.org')
    const person = { sub: 't-1', preferred_username: 'root@example.org', email: 'root@example.org', email_verified: true }
    const first = await server.browser().signIn('campus', to => oidc.grant(to, person))
    const second = await server.browser().signIn('github', to => github.grant(to, { id: 100, login: 'root@example.org' }))
    expect(first.user).toMatchObject({ username: 'root@example.org-2', role: 'admin' })
    expect(second.user).toMatchObject({ username: 'root@example.org-3', role: 'annotator' })
    expect(new Set([owner?.id, first.user.id, second.user.id]).size).toBe(3)
  })

  test('and the same subject at another provider is somebody else', async () => {
    const { user } = await server.browser().signIn('github', to => github.grant(to, { id: 101, login: 'same' }))
    const other = await server.browser().signIn('campus', to => oidc.grant(to, { sub: '101', preferred_username: 'same' }))
    expect(other.user.id).not.toBe(user.id)
    expect(other.user.username).toBe('same-2')
  })
})

describe('names that look alike', () => {
  test('a name that looks like an existing one is taken', async () => {
    const { user } = await server.browser().signIn('github', to => github.grant(to, { id: 102, login: 'оmar-oz' }))
    const other = await server.browser().signIn('campus', to => oidc.grant(to, { sub: 'l-1', preferred_username: 'omar-oz' }))
    expect([user.username, other.user.username]).toEqual(['оmar-oz', 'omar-oz-2'])
  })

  test('no workspace is made that looks like an existing one, and nobody is signed in', async () => {
    const roles = ['argilla_workspace:fіrst']
    const browser = server.browser()
    const person = { sub: 'l-2', preferred_username: 'lookalike', realm_access: { roles } }
    const answer = await browser.finish('keycloak', oidc.grant(await browser.begin('keycloak'), person))
    expect([answer.status, answer.body.detail]).toEqual([401, expect.stringContaining('looks like another one')])
    expect(await findUserByUsername(server.ctx.db, 'lookalike')).toBeNull()
  })
})

describe('roles and workspaces of Keycloak', () => {
  const person = (roles: unknown) => ({ sub: 'k-1', preferred_username: 'kim', realm_access: { roles } })
  const signIn = (roles: unknown) => server.browser().signIn('keycloak', to => oidc.grant(to, person(roles)))

  test('are followed at each sign-in with sync_user, up and down; tokens of the old role end', async () => {
    const first = await signIn(['argilla_role:annotator', 'argilla_role:admin', 'argilla_workspace:third', 'offline_access'])
    expect(first.user).toMatchObject({ username: 'kim', role: 'admin' })
    expect(await workspacesOf(first.user.id)).toEqual(['third'])

    const browser = server.browser()
    const { code, state } = oidc.grant(await browser.begin('keycloak'), person(['argilla_role:owner', 'argilla_workspace:first']))
    const { body } = await browser.send(`GET /oauth2/providers/keycloak/access-token?code=${code}&state=${state}`)
    const headers = { authorization: `Bearer ${body.access_token}` }
    expect((await browser.send('GET /me', { headers })).body).toMatchObject({ id: first.user.id, role: 'owner' })
    expect(await workspacesOf(first.user.id)).toEqual(['first'])

    const last = await signIn('nothing that is a list')
    expect(last.user).toMatchObject({ id: first.user.id, role: 'annotator' })
    expect(await workspacesOf(first.user.id)).toEqual(['first', 'second'])
    expect((await browser.send('GET /me', { headers })).status).toBe(401)
  })

  test('count for Keycloak only: elsewhere people may choose their claims', async () => {
    const claims = { ...person(['argilla_role:owner', 'argilla_workspace:secret']), sub: 'k-2', preferred_username: 'mallory' }
    const { user } = await server.browser().signIn('campus', to => oidc.grant(to, claims))
    expect(user.role).toBe('admin')
    expect(await workspacesOf(user.id)).toEqual(['first', 'second'])
  })
})

describe('an owner', () => {
  let owner: ReturnType<SignInServer['browser']>
  const asOwner = { headers: { 'x-postil-csrf': '1' } }
  beforeAll(async () => {
    await createFirstOwner(server.ctx, { username: 'keeper', password: 'long enough', apiKey: null, workspace: null })
    owner = server.browser()
    await owner.send('POST /session', { body: { username: 'keeper', password: 'long enough' } })
  })

  test('keeps somebody out by deactivating them, and lets them in again', async () => {
    const person = { id: 301, login: 'away' }
    const { user } = await server.browser().signIn('github', to => github.grant(to, person))
    await owner.send(`POST /users/${user.id}/deactivate`, asOwner)
    const browser = server.browser()
    const refused = await browser.finish('github', github.grant(await browser.begin('github'), person))
    expect([refused.status, refused.body.detail.params.detail]).toEqual([401, expect.stringContaining('deactivated')])
    expect((await browser.me()).status).toBe(401)
    await owner.send(`POST /users/${user.id}/reactivate`, asOwner)
    const again = await server.browser().signIn('github', to => github.grant(to, person))
    expect(again.user.id).toBe(user.id)
  })

  test('leaves no way in to the pseudonym of somebody who was deleted', async () => {
    const person = { id: 302, login: 'former' }
    const { user } = await server.browser().signIn('github', to => github.grant(to, person))
    expect((await owner.send(`DELETE /users/${user.id}?responses=keep`, asOwner)).status).toBe(200)
    const after = await server.browser().signIn('github', to => github.grant(to, person))
    expect(after.user.id).not.toBe(user.id)
  })

  test('reads in the audit log who signed in and with what', async () => {
    const { user } = await server.browser().signIn('github', to => github.grant(to, { id: 303, login: 'noted' }))
    const { body } = await owner.send(`GET /audit-log?target_id=${user.id}`)
    const told = body.items.map(({ action, details }: { action: string; details: object }) => [action, details])
    expect(told).toEqual([
      ['user.signed_in', expect.objectContaining({ method: 'session', provider: 'github' })],
      ['user.created', { role: 'annotator', workspaces: ['first', 'second'], provider: 'github' }],
    ])
  })
})

test('a user who was deleted begins anew, as somebody else', async () => {
  await createFirstOwner(server.ctx, { username: 'deleter', password: 'long enough', apiKey: null, workspace: null })
  const owner = server.browser()
  await owner.send('POST /session', { body: { username: 'deleter', password: 'long enough' } })
  const signIn = () => server.browser().signIn('github', to => github.grant(to, { id: 300, login: 'gone' }))
  const { user } = await signIn()
  const deleted = await owner.send(`DELETE /users/${user.id}`, { headers: { 'x-postil-csrf': '1' } })
  expect(deleted.status).toBe(200)
  expect(await server.ctx.db.sql.all('select 1 from user_identities where user_id = ?', [user.id])).toEqual([])
  const after = await signIn()
  expect([after.user.username, after.user.id === user.id]).toEqual(['gone', false])
})
