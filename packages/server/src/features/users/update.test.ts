import type { UserUpdate } from '@postil/domain/users'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs, openTestContext, type TestContext } from '../../testing/context.ts'
import { loadUser } from './store.ts'
import { updateWholeUser as updateUser } from './testing/whole-calls.ts'

let ctx: TestContext
let owner: RequestContext
let annotator: RequestContext
beforeAll(async () => {
  ctx = await openTestContext()
  owner = await actAs(ctx, 'owner')
})
beforeEach(async () => {
  annotator = await actAs(ctx, 'annotator')
})
afterAll(() => ctx.close())

test.each<UserUpdate>([
  { first_name: 'Other' },
  { last_name: 'Berg' },
  { username: 'renamed' },
  { role: 'admin' },
  { first_name: 'Same', last_name: null, role: 'annotator' },
])('%o changes that and the time', async change => {
  const before = await loadUser(ctx.db, annotator.actor.id)
  const user = await updateUser(owner, annotator.actor.id, change)
  expect(user).toMatchObject(change)
  expect(user.updated_at > before.updated_at).toBe(true)
  expect(await loadUser(ctx.db, user.id)).toMatchObject({
    ...change,
    updated_at: user.updated_at,
    inserted_at: before.inserted_at,
  })
})

test.each<UserUpdate>([{}, { last_name: null }, { first_name: 'annotator', role: 'annotator' }])(
  '%o changes nothing, and the time stays',
  async change => {
    const before = await loadUser(ctx.db, annotator.actor.id)
    const user = await updateUser(owner, annotator.actor.id, change)
    expect(user.updated_at).toBe(before.updated_at)
    expect(await loadUser(ctx.db, user.id)).toEqual(before)
  },
)

test('a new password fits from then on', async () => {
  await updateUser(owner, annotator.actor.id, { password: 'another one' })
  const { password_hash } = await loadUser(ctx.db, annotator.actor.id)
  expect(await ctx.passwords.fits(password_hash, 'another one', { source: 'test', isKnown: true })).toBe(true)
})

test('a user may keep their own username, not take that of another', async () => {
  const { id, username } = annotator.actor
  await expect(updateUser(owner, id, { username })).resolves.toMatchObject({ username })
  const taking = updateUser(owner, id, { username: owner.actor.username, first_name: 'Other' })
  await expect(taking).rejects.toMatchObject({ code: 'unprocessable' })
  expect(await loadUser(ctx.db, id)).toMatchObject({ username, first_name: 'annotator' })
})

test.each<{ change: UserUpdate; ends: boolean }>([
  { change: { password: 'another one' }, ends: true },
  { change: { role: 'admin' }, ends: true },
  { change: { role: 'annotator', first_name: 'Other' }, ends: false },
  { change: { username: 'another-name' }, ends: false },
])('$change invalidates earlier tokens: $ends', async ({ change, ends }) => {
  const before = await loadUser(ctx.db, annotator.actor.id)
  await updateUser(owner, annotator.actor.id, change)
  const after = await loadUser(ctx.db, annotator.actor.id)
  expect(after.credentials_version - before.credentials_version).toBe(ends ? 1 : 0)
})
