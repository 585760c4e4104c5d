import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { openSession } from '../sessions/open.ts'
import { listSessionsOf } from '../sessions/store.ts'
import { deactivateUser, reactivateUser } from './deactivate.ts'
import { deleteUser } from './delete.ts'
import { getMe, getUser } from './read.ts'
import { resetApiKey } from './rotate-api-key.ts'
import { findActorByApiKeyHash, findActorById, findCredentialsVersion, loadUser } from './store.ts'
import { changeHashedUser } from './update.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

eachDatabase((db, openAnother) => {
  let other: Database
  let owner: RequestContext
  let user: RequestContext
  beforeAll(() => {
    other = openAnother()
  })
  beforeEach(async () => {
    await db().sql.run('delete from users')
    owner = await actAs(inProcess(opened, db()), 'owner')
    user = await actAs(owner, 'annotator')
  })
  afterAll(() => other.close())

  const versionOf = async (ctx: RequestContext) => (await findCredentialsVersion(db(), ctx.actor.id)) ?? 0
  const sessionsOf = (ctx: RequestContext) => listSessionsOf(db(), ctx.actor.id, ctx.now())
  const signIn = async (ctx: RequestContext) =>
    openSession(ctx, { user_id: ctx.actor.id, credentials_version: await versionOf(ctx) })

  describe('a deactivated user', () => {
    test('has no sessions, no tokens and no key that counts, until they are reactivated', async () => {
      await signIn(user)
      const { id } = user.actor
      const { api_key_hash } = await loadUser(db(), id)
      const version = await versionOf(user)
      const answer = await deactivateUser(owner, id)
      expect(answer).toMatchObject({ id, deactivated_at: answer.updated_at })
      expect([await findActorById(db(), id), await findActorByApiKeyHash(db(), api_key_hash)]).toEqual([null, null])
      expect([await sessionsOf(user), await versionOf(user)]).toEqual([[], version + 1])

      const again = await reactivateUser(owner, id)
      expect(Object.keys(again)).not.toContain('deactivated_at')
      expect(await findActorByApiKeyHash(db(), api_key_hash)).toMatchObject({ id })
      // Earlier tokens remain invalid.
      expect([await sessionsOf(user), await versionOf(user)]).toEqual([[], version + 1])
    })

    test('stays as they are when they are deactivated again, and so does an active one who is reactivated', async () => {
      const { id } = user.actor
      const first = await deactivateUser(owner, id)
      expect(await deactivateUser(owner, id)).toEqual(first)
      const second = await reactivateUser(owner, id)
      expect(await reactivateUser(owner, id)).toEqual(second)
    })

    test('is shown as such to owners only, and keeps names and a new key', async () => {
      const { id } = user.actor
      await deactivateUser(owner, id)
      const { api_key, ...rest } = await resetApiKey(owner, id)
      expect(rest).toMatchObject({ id, deactivated_at: expect.any(String) })
      expect(await getUser(owner, id)).toEqual({ api_key, ...rest })
      expect(Object.keys(await getMe(user))).not.toContain('deactivated_at')
      expect(await findActorByApiKeyHash(db(), opened.apiKeys.hash(api_key ?? ''))).toBeNull()
      expect(await changeHashedUser(owner, id, { first_name: 'Nadia' })).toMatchObject({ deactivated_at: expect.any(String) })
    })
  })

  test.each([
    {
      who: 'oneself',
      target: () => owner.actor.id,
      error: { code: 'unprocessable', message: expect.stringMatching(/yourself/) },
    },
    { who: 'somebody unknown', target: () => opened.newId(), error: { code: 'not_found' } },
  ])('$who cannot be deactivated', async ({ target, error }) => {
    await expect(deactivateUser(owner, target())).rejects.toMatchObject(error)
  })

  test('a deleted user, or their pseudonym, is neither deactivated nor reactivated, and gets no key', async () => {
    const { id } = user.actor
    await deleteUser(owner, id, 'keep')
    for (const use of [deactivateUser, reactivateUser, resetApiKey]) {
      await expect(use(owner, id)).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('only owners deactivate, reactivate and reset keys', async () => {
    const admin = await actAs(owner, 'admin')
    for (const use of [deactivateUser, reactivateUser, resetApiKey]) {
      await expect(use(admin, user.actor.id)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(use(admin, opened.newId())).rejects.toMatchObject({ code: 'forbidden' })
    }
  })

  describe('at the same time', () => {
    const there = (ctx: RequestContext) => inProcess(ctx, other)

    test('two owners who deactivate each other leave one of them', async () => {
      const second = await actAs(owner, 'owner')
      const results = await race(db(), {
        first: gated => deactivateUser(gated(owner), second.actor.id),
        second: () => deactivateUser(there(second), owner.actor.id),
      })
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { code: 'unprocessable', message: expect.stringMatching(/last active owner/) } },
      ])
      expect(await findActorById(db(), owner.actor.id)).not.toBeNull()
    })

    test('an owner who was just deactivated deactivates nobody', async () => {
      const second = await actAs(owner, 'owner')
      const results = await race(db(), {
        first: gated => deactivateUser(gated(owner), second.actor.id),
        second: () => deactivateUser(there(second), user.actor.id),
      })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'forbidden' } }])
      expect(await findActorById(db(), user.actor.id)).not.toBeNull()
    })

    test('a session that is being opened ends, and one that is opened later does not begin', async () => {
      const credentials_version = await versionOf(user)
      const open = (ctx: RequestContext) => openSession(ctx, { user_id: user.actor.id, credentials_version })
      const opening = await race<unknown, unknown>(db(), {
        first: gated => open(gated(user)),
        second: () => deactivateUser(there(owner), user.actor.id),
      })
      expect(opening.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect(await sessionsOf(user)).toEqual([])
      await expect(open(user)).rejects.toMatchObject({ code: 'unauthenticated' })
    })

    test('a user who is deleted is not brought back by a change', async () => {
      const results = await race<unknown, unknown>(db(), {
        first: gated => deleteUser(gated(owner), user.actor.id, 'keep'),
        second: () => changeHashedUser(there(owner), user.actor.id, { role: 'owner' }),
      })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_found' } }])
      expect(await findActorById(db(), user.actor.id)).toBeNull()
    })
  })
})
