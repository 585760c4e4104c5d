/** Signing in with a provider in two processes concurrently. */
import type { Role } from '@postil/domain/users'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OpenContext } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, TEST_SENDER } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { deleteUser } from '../users/delete.ts'
import type { UserRow } from '../users/store.ts'
import { signInForToken } from './sign-in.ts'
import { openSignInServer, type SignInServer } from './testing/people.ts'
import type { FinishedSignIn } from './writes.ts'

let server: SignInServer
beforeAll(async () => {
  const provider = { name: 'keycloak', issuer: 'https://login.example', client_id: 'a', client_secret: 'b', sync_user: true }
  server = await openSignInServer({ providers: [provider], allowed_workspaces: [{ name: 'shared' }] })
})
afterAll(() => server.close())

let made = 0
const finished = (subject: string, username: string, role: Role | null = null): FinishedSignIn => ({
  identity: {
    provider: 'keycloak',
    issuer: 'https://login.example',
    subject,
    username,
    first_name: username,
    role,
    workspaces: null,
  },
  state_hash: `state-${++made}`,
  return_to: '/',
  cookie_name: 'x',
})

describe('two sign-ins at once', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let here: OpenContext
    let there: OpenContext
    beforeAll(() => {
      other = openAnother()
    })
    beforeEach(() => {
      here = { ...inProcess(server.ctx, db()), requestId: 'test', sender: TEST_SENDER }
      there = inProcess(here, other)
    })
    afterAll(() => other.close())

    const run = (first: FinishedSignIn, second: FinishedSignIn) =>
      race(db(), { first: gated => signInForToken(gated(here), first), second: () => signInForToken(there, second) })

    const usersOf = (results: PromiseSettledResult<UserRow>[]) =>
      results.map(result => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })

    test('of the same new account make one user', async () => {
      const [first, second] = usersOf(await run(finished('s-1', 'lena'), finished('s-1', 'lena')))
      expect(first?.id).toBe(second?.id)
      expect(await db().sql.all("select 1 from users where username like 'lena%'")).toHaveLength(1)
    })

    test('of two people with the same name make two users', async () => {
      const users = usersOf(await run(finished('s-2', 'omar'), finished('s-3', 'omar')))
      expect(users.map(({ username }) => username)).toEqual(['omar', 'omar-2'])
    })

    test('with the same state: only one of them counts', async () => {
      const given = finished('s-4', 'nadia')
      const results = await run(given, given)
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'provider_refused' } }])
    })

    test('of a user who is being deleted create a new user', async () => {
      const known = await signInForToken(here, finished('s-5', 'zoe'))
      const owner = await actAs(here, 'owner')
      const [, result] = await race<unknown, UserRow>(db(), {
        first: gated => deleteUser(gated(owner), known.id),
        second: () => signInForToken(there, finished('s-5', 'zoe')),
      })
      const [user] = usersOf([result])
      expect(user?.id).not.toBe(known.id)
    })

    test('keep the last owner an owner', async () => {
      await db().sql.run("update users set role = 'admin' where role = 'owner'")
      const { id } = await signInForToken(here, finished('s-6', 'root', 'owner'))
      const again = await signInForToken(here, finished('s-6', 'root'))
      expect([again.id, again.role]).toEqual([id, 'owner'])
      await actAs(here, 'owner')
      expect(await signInForToken(here, finished('s-6', 'root'))).toMatchObject({ id, role: 'annotator' })
    })

    test('forget states that expired', async () => {
      await db().sql.run("insert into used_sign_ins (state_hash, expires_at) values ('old', '2020-01-01T00:00:00.000000')")
      await signInForToken(here, finished('s-7', 'ines'))
      expect(await db().sql.all("select 1 from used_sign_ins where state_hash = 'old'")).toEqual([])
    })

    test('of more people with one name than there are short variants still work', async () => {
      for (let i = 0; i < 52; i++) await signInForToken(here, finished(`many-${i}`, 'kim'))
      const names = await db().sql.all<{ username: string }>("select username from users where username like 'kim%'")
      expect(new Set(names.map(({ username }) => username)).size).toBe(52)
    })
  })
})
