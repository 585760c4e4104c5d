import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess } from '../../testing/processes.ts'
import { listWorkspaces } from '../workspaces/store.ts'
import { createFirstOwner } from './create-first-owner.ts'
import { findActorByApiKeyHash, findUserByUsername, listUsers } from './store.ts'

let ctx: TestContext
beforeEach(async () => {
  ctx = await openTestContext()
})
afterEach(() => ctx.close())

const given = { username: 'lena', password: 'long enough', apiKey: 'a-key-of-mine', workspace: 'team' }

test('an empty server gets an owner whose password and key nobody could know', async () => {
  const created = await createFirstOwner(ctx, null)
  expect(created).toMatchObject({ username: 'owner' })
  expect(created?.password).toMatch(/^[\w-]{24}$/)
  const user = await findUserByUsername(ctx.db, 'owner')
  expect(user).toMatchObject({ role: 'owner', first_name: 'owner' })
  expect(await ctx.passwords.fits(user?.password_hash ?? null, created?.password ?? '', { source: 'test', isKnown: true })).toBe(
    true,
  )
  expect(await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(created?.apiKey ?? ''))).toMatchObject({ username: 'owner' })
  expect(await listWorkspaces(ctx.db, { memberId: user?.id ?? '' })).toMatchObject([{ name: 'default' }])
})

test('a server with users gets no owner by itself', async () => {
  await actAs(ctx, 'annotator')
  expect(await createFirstOwner(ctx, null)).toBeNull()
  expect(await listUsers(ctx.db)).toHaveLength(1)
})

test('a given owner is created beside other users, and joins a workspace that exists', async () => {
  await actAs(ctx, 'owner')
  const workspaceId = await addWorkspace(ctx, 'team')
  // Given credentials are not returned.
  expect(await createFirstOwner(ctx, given)).toEqual({ username: 'lena', password: null, apiKey: null })
  const actor = await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash('a-key-of-mine'))
  expect(actor).toMatchObject({ username: 'lena', role: 'owner', workspace_ids: [workspaceId] })
})

test('a given owner needs no key and no workspace', async () => {
  const created = await createFirstOwner(ctx, { ...given, apiKey: null, workspace: null })
  expect(created).toEqual({ username: 'lena', password: null, apiKey: expect.stringMatching(/^[\w-]{107}$/) })
  expect(await listWorkspaces(ctx.db, { memberId: null })).toEqual([])
})

test('a user who has the name already is left as they are', async () => {
  await createFirstOwner(ctx, given)
  const before = await findUserByUsername(ctx.db, 'lena')
  expect(await createFirstOwner(ctx, { ...given, password: 'something else', apiKey: 'another-key' })).toBeNull()
  expect(await findUserByUsername(ctx.db, 'lena')).toEqual(before)
})

test('a key that another user has is refused, and nothing is created', async () => {
  await createFirstOwner(ctx, given)
  await expect(createFirstOwner(ctx, { ...given, username: 'omar', workspace: 'new' })).rejects.toMatchObject({
    code: 'not_unique',
  })
  expect(await findUserByUsername(ctx.db, 'omar')).toBeNull()
})

describe('two processes that start at the same time', () => {
  eachDatabase((db, openAnother) => {
    test('create one owner', async () => {
      if (db().dialect.name === 'sqlite') return
      const other = openAnother()
      const created = await Promise.all([db(), other].map(process => createFirstOwner(inProcess(ctx, process), null)))
      expect(created.filter(owner => owner !== null)).toHaveLength(1)
      expect(await listUsers(db())).toHaveLength(1)
      await other.close()
    })
  })
})
