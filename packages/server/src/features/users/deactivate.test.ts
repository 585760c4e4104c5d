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
import { findActorById, findCredentialsVersion } from './store.ts'
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

  test('who is deactivated or reactivated again stays as they are', async () => {
    const { id } = user.actor
    const first = await deactivateUser(owner, id)
    expect(await deactivateUser(owner, id)).toEqual(first)
    const second = await reactivateUser(owner, id)
    expect(await reactivateUser(owner, id)).toEqual(second)
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
