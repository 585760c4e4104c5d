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

test('a user may keep their own username, not take that of another', async () => {
  const { id, username } = annotator.actor
  await expect(updateUser(owner, id, { username })).resolves.toMatchObject({ username })
  const taking = updateUser(owner, id, { username: owner.actor.username, first_name: 'Other' })
  await expect(taking).rejects.toMatchObject({ code: 'unprocessable' })
  expect(await loadUser(ctx.db, id)).toMatchObject({ username, first_name: 'annotator' })
})
