import type { UserCreate } from '@postil/domain/users'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { HashSource } from '../../lib/password.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { listUserWorkspaces } from './read.ts'
import { findUserByUsername } from './store.ts'
import { createWholeUser as createUser } from './testing/whole-calls.ts'

let ctx: TestContext
let owner: RequestContext
beforeAll(async () => {
  ctx = await openTestContext()
  owner = await actAs(ctx, 'owner')
})
afterAll(() => ctx.close())

const lena = (username: string): UserCreate => ({ first_name: 'Lena', username, password: 'long enough' })

test('the API key is not stored in clear text', async () => {
  const { api_key } = await createUser(owner, lena('lena'))
  expect(api_key).toMatch(/^[\w-]{107}$/)
  expect(JSON.stringify(await findUserByUsername(ctx.db, 'lena'))).not.toContain(api_key)
})

test('a user joins the workspaces named, each once', async () => {
  for (const name of ['one', 'two', 'three']) await addWorkspace(ctx, name)
  const user = await createUser(owner, { ...lena('member'), workspaces: ['three', 'one', 'three'] })
  const { items } = await listUserWorkspaces(owner, user.id)
  expect(items.map(workspace => workspace.name)).toEqual(['one', 'three'])
})

test.each(['admin', 'annotator'] as const)('an %s cannot create users, and nothing is hashed for them', async role => {
  const asking = await actAs(ctx, role)
  const hashed: string[] = []
  const passwords = { ...asking.passwords, hash: async (_: string, by: HashSource) => `${hashed.push(by.source)}` }
  await expect(createUser({ ...asking, passwords }, lena('forbidden'))).rejects.toMatchObject({ code: 'forbidden' })
  expect(hashed).toEqual([])
})
