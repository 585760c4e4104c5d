import type { UserCreate } from '@postil/domain/users'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { HashSource } from '../../lib/password.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { listUserWorkspaces } from './read.ts'
import { findActorByApiKeyHash, findUserByUsername } from './store.ts'
import { createWholeUser as createUser } from './testing/whole-calls.ts'

let ctx: TestContext
let owner: RequestContext
beforeAll(async () => {
  ctx = await openTestContext()
  owner = await actAs(ctx, 'owner')
})
afterAll(() => ctx.close())

const lena = (username: string): UserCreate => ({ first_name: 'Lena', username, password: 'long enough' })

test('a new user is an annotator with a working password and API key', async () => {
  const user = await createUser(owner, lena('lena'))
  expect(user).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    first_name: 'Lena',
    last_name: null,
    username: 'lena',
    role: 'annotator',
    api_key: expect.stringMatching(/^[\w-]{107}$/),
    inserted_at: expect.any(String),
    updated_at: user.inserted_at,
  })
  expect(await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(user.api_key ?? ''))).toMatchObject({
    id: user.id,
    role: 'annotator',
  })
  const stored = await findUserByUsername(ctx.db, 'lena')
  expect(await ctx.passwords.fits(stored?.password_hash ?? null, 'long enough', { source: 'test', isKnown: true })).toBe(true)
  expect(JSON.stringify(stored)).not.toContain(user.api_key)
})

test('id, role and last name are taken as given', async () => {
  const id = ctx.newId()
  const given = { id, role: 'admin', last_name: 'Berg' } as const
  expect(await createUser(owner, { ...lena('given'), ...given })).toMatchObject(given)
})

test.each([
  { what: 'username', given: () => ({}) },
  { what: 'id', given: () => ({ id: owner.actor.id, username: 'another' }) },
])('a taken $what is refused', async ({ given }) => {
  if (!(await findUserByUsername(ctx.db, 'taken'))) await createUser(owner, lena('taken'))
  await expect(createUser(owner, { ...lena('taken'), ...given() })).rejects.toMatchObject({ code: 'not_unique' })
})

test('a user joins the workspaces named, each once', async () => {
  for (const name of ['one', 'two', 'three']) await addWorkspace(ctx, name)
  const user = await createUser(owner, { ...lena('member'), workspaces: ['three', 'one', 'three'] })
  const { items } = await listUserWorkspaces(owner, user.id)
  expect(items.map(workspace => workspace.name)).toEqual(['one', 'three'])
})

test('a workspace that does not exist is named, and nothing is created', async () => {
  await addWorkspace(ctx, 'known')
  const creation = createUser(owner, { ...lena('nobody'), workspaces: ['known', 'unknown'] })
  await expect(creation).rejects.toMatchObject({ code: 'unprocessable', message: expect.stringContaining('unknown') })
  expect(await findUserByUsername(ctx.db, 'nobody')).toBeNull()
})

test.each(['admin', 'annotator'] as const)('an %s cannot create users, and nothing is hashed for them', async role => {
  const asking = await actAs(ctx, role)
  const hashed: string[] = []
  const passwords = { ...asking.passwords, hash: async (_: string, by: HashSource) => `${hashed.push(by.source)}` }
  await expect(createUser({ ...asking, passwords }, lena('forbidden'))).rejects.toMatchObject({ code: 'forbidden' })
  expect(hashed).toEqual([])
})
