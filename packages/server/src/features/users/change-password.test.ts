import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs, openTestContext, type TestContext } from '../../testing/context.ts'
import { changePassword, storePassword } from './change-password.ts'
import { loadUser } from './store.ts'
import { updateWholeUser } from './testing/whole-calls.ts'

let ctx: TestContext
let owner: RequestContext
beforeAll(async () => {
  ctx = await openTestContext()
  owner = await actAs(ctx, 'owner')
})
afterAll(() => ctx.close())

async function aUser(): Promise<RequestContext> {
  const user = await actAs(ctx, 'annotator')
  await updateWholeUser(owner, user.actor.id, { password: 'long enough' })
  return user
}

/** Returns the data that the main thread passes to the writer. */
async function begin(user: RequestContext) {
  const { body } = await changePassword(user, { current_password: 'long enough', new_password: 'of my own' })
  return body as { password_hash: string; credentials_version: number }
}

const fits = async (user: RequestContext, password: string) => {
  const { password_hash } = await loadUser(ctx.db, user.actor.id)
  return ctx.passwords.fits(password_hash, password, { source: 'test', isKnown: true })
}

test('who knew only the old one cannot overwrite the one that an owner gave meanwhile', async () => {
  const user = await aUser()
  const { password_hash, credentials_version } = await begin(user)
  await updateWholeUser(owner, user.actor.id, { password: 'by an owner' })
  await expect(storePassword(user, password_hash, credentials_version)).rejects.toMatchObject({ code: 'conflict' })
  expect(await fits(user, 'by an owner')).toBe(true)
})

test('of two changes at the same time one is stored', async () => {
  const user = await aUser()
  const changes = [await begin(user), await begin(user)]
  const outcomes = await Promise.allSettled(
    changes.map(change => storePassword(user, change.password_hash, change.credentials_version)),
  )
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a user who was deleted meanwhile is missing', async () => {
  const user = await aUser()
  const { password_hash, credentials_version } = await begin(user)
  await ctx.db.sql.run('delete from users where id = ?', [user.actor.id])
  await expect(storePassword(user, password_hash, credentials_version)).rejects.toMatchObject({ code: 'not_found' })
})
