import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { deleteUser } from './delete.ts'
import { getMe, getUser, listUsers, listUserWorkspaces } from './read.ts'
import { findActorByApiKeyHash, loadUser, toUser } from './store.ts'
import { updateUser } from './update.ts'

let ctx: TestContext
let owner: RequestContext
let admin: RequestContext
let annotator: RequestContext
beforeAll(async () => {
  ctx = await openTestContext()
  const workspaces = [await addWorkspace(ctx, 'first'), await addWorkspace(ctx, 'second')]
  owner = await actAs(ctx, 'owner')
  admin = await actAs(ctx, 'admin', workspaces.slice(1))
  annotator = await actAs(ctx, 'annotator', workspaces.slice(1))
})
afterAll(() => ctx.close())

test('everybody can ask who they are, and is told their key', async () => {
  for (const asking of [owner, admin, annotator]) {
    const { id, username, role } = asking.actor
    const me = await getMe(asking)
    expect(me).toMatchObject({ id, username, role })
    expect(await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(me.api_key ?? ''))).toMatchObject({ id })
    expect(Object.keys(me)).toEqual(['id', 'first_name', 'last_name', 'username', 'role', 'api_key', 'inserted_at', 'updated_at'])
  }
})

test('the key of another user is shown to owners only', async () => {
  const row = await loadUser(ctx.db, annotator.actor.id)
  expect(toUser(owner, row).api_key).toMatch(/^[\w-]{107}$/)
  expect(toUser(admin, row).api_key).toBeNull()
})

test('an owner lists users, oldest first', async () => {
  const { items } = await listUsers(owner)
  expect(items.map(user => user.id)).toEqual([owner, admin, annotator].map(({ actor }) => actor.id))
})

test('an owner belongs to all workspaces, others to their own', async () => {
  const namesOf = async (id: string) => (await listUserWorkspaces(owner, id)).items.map(workspace => workspace.name)
  expect(await namesOf(owner.actor.id)).toEqual(['first', 'second'])
  expect(await namesOf(annotator.actor.id)).toEqual(['second'])
})

describe('who is told what about users', () => {
  const missing = '00000000-0000-4000-8000-000000000000'
  const cases: { route: string; call(ctx: RequestContext, id: string): Promise<unknown>; whenMissing: string }[] = [
    { route: 'listing', call: listUsers, whenMissing: 'forbidden' },
    { route: 'reading', call: getUser, whenMissing: 'forbidden' },
    { route: 'listing workspaces of', call: listUserWorkspaces, whenMissing: 'forbidden' },
    { route: 'changing', call: (ctx, id) => updateUser(ctx, id, { first_name: 'x' }), whenMissing: 'not_found' },
    { route: 'deleting', call: deleteUser, whenMissing: 'not_found' },
  ]
  test.each(cases)(
    '$route users is for owners; others who ask for a missing one get $whenMissing',
    async ({ call, whenMissing }) => {
      for (const asking of [admin, annotator]) {
        await expect(call(asking, asking.actor.id)).rejects.toMatchObject({ code: 'forbidden' })
        await expect(call(asking, missing)).rejects.toMatchObject({ code: whenMissing })
      }
      if (call !== listUsers) await expect(call(owner, missing)).rejects.toMatchObject({ code: 'not_found' })
    },
  )
})
