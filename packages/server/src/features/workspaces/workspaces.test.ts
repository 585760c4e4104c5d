import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { addAnsweredDataset } from '../users/testing/records.ts'
import { createWorkspace } from './create.ts'
import { deleteWorkspace } from './delete.ts'
import { addWorkspaceUser, removeWorkspaceUser } from './members.ts'
import { getWorkspace, listMyWorkspaces, listWorkspaceUsers } from './read.ts'

const missing = '00000000-0000-4000-8000-000000000000'

let ctx: TestContext
let workspaceId: string
let owner: RequestContext
let admin: RequestContext
let annotator: RequestContext
/** An admin of another workspace. */
let stranger: RequestContext
beforeEach(async () => {
  ctx = await openTestContext()
  workspaceId = await addWorkspace(ctx, 'team')
  owner = await actAs(ctx, 'owner')
  admin = await actAs(ctx, 'admin', [workspaceId])
  annotator = await actAs(ctx, 'annotator', [workspaceId])
  stranger = await actAs(ctx, 'admin', [await addWorkspace(ctx, 'elsewhere')])
})
afterEach(() => ctx.close())

test('an owner sees all workspaces, others their own, oldest first', async () => {
  const namesFor = async (asking: RequestContext) => (await listMyWorkspaces(asking)).items.map(workspace => workspace.name)
  expect(await namesFor(owner)).toEqual(['team', 'elsewhere'])
  expect(await namesFor(annotator)).toEqual(['team'])
  expect(await namesFor(stranger)).toEqual(['elsewhere'])
})

describe('creating a workspace', () => {
  test('does not make its creator a member', async () => {
    const workspace = await createWorkspace(owner, { name: 'new' })
    expect(workspace).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'new',
      inserted_at: expect.any(String),
      updated_at: workspace.inserted_at,
    })
    expect(await getWorkspace(owner, workspace.id)).toEqual(workspace)
    expect(await listWorkspaceUsers(owner, workspace.id)).toEqual({ items: [] })
  })

  test('takes the id given', async () => {
    expect(await createWorkspace(owner, { name: 'new', id: missing })).toMatchObject({ id: missing })
  })

  test('refuses a taken name and a taken id', async () => {
    await expect(createWorkspace(owner, { name: 'team' })).rejects.toMatchObject({ code: 'not_unique' })
    await expect(createWorkspace(owner, { name: 'free', id: workspaceId })).rejects.toMatchObject({ code: 'not_unique' })
  })
})

describe('deleting a workspace', () => {
  test('ends its memberships', async () => {
    expect(await deleteWorkspace(owner, workspaceId)).toMatchObject({ id: workspaceId, name: 'team' })
    expect(await listMyWorkspaces(annotator)).toEqual({ items: [] })
  })

  test('is refused while it has a dataset', async () => {
    await addAnsweredDataset(ctx.db, { id: 'd', workspaceId, minSubmitted: 1, records: [] })
    await expect(deleteWorkspace(owner, workspaceId)).rejects.toMatchObject({ code: 'not_unique' })
    expect(await getWorkspace(owner, workspaceId)).toMatchObject({ id: workspaceId })
  })
})

describe('members', () => {
  test('are listed in the order they joined, with their keys for owners only', async () => {
    await addWorkspaceUser(owner, workspaceId, owner.actor.id)
    const forOwner = (await listWorkspaceUsers(owner, workspaceId)).items
    expect(forOwner.map(user => user.id)).toEqual([admin, annotator, owner].map(({ actor }) => actor.id))
    expect(forOwner.every(user => user.api_key !== null)).toBe(true)
    const forAdmin = (await listWorkspaceUsers(admin, workspaceId)).items
    expect(forAdmin.filter(user => user.api_key !== null).map(user => user.id)).toEqual([admin.actor.id])
  })

  test('join once', async () => {
    const { id } = stranger.actor
    expect(await addWorkspaceUser(owner, workspaceId, id)).toMatchObject({ id, role: 'admin' })
    await expect(addWorkspaceUser(owner, workspaceId, id)).rejects.toMatchObject({ code: 'not_unique' })
  })

  test('must be users', async () => {
    await expect(addWorkspaceUser(owner, workspaceId, missing)).rejects.toMatchObject({ code: 'unprocessable' })
  })

  test('leave when an owner or an admin among them says so', async () => {
    expect(await removeWorkspaceUser(admin, workspaceId, annotator.actor.id)).toMatchObject({
      id: annotator.actor.id,
      api_key: null,
    })
    expect(await removeWorkspaceUser(owner, workspaceId, admin.actor.id)).toMatchObject({ id: admin.actor.id })
    expect(await listWorkspaceUsers(owner, workspaceId)).toEqual({ items: [] })
  })

  test.each([
    { pair: 'a user who is no member', ids: () => [workspaceId, stranger.actor.id] },
    { pair: 'a missing user', ids: () => [workspaceId, missing] },
    { pair: 'a missing workspace', ids: () => [missing, annotator.actor.id] },
  ])('removing $pair finds nothing, whoever asks', async ({ ids }) => {
    const [workspace, user] = ids() as [string, string]
    for (const asking of [owner, annotator]) {
      await expect(removeWorkspaceUser(asking, workspace, user)).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('who may do what', () => {
  type Name = 'admin' | 'annotator' | 'stranger'
  const cases: { route: string; call(ctx: RequestContext, id: string): Promise<unknown>; refused: Name[] }[] = [
    { route: 'reading a workspace', call: getWorkspace, refused: ['stranger'] },
    { route: 'listing its members', call: listWorkspaceUsers, refused: ['annotator', 'stranger'] },
    {
      route: 'adding a member',
      call: (ctx, id) => addWorkspaceUser(ctx, id, stranger.actor.id),
      refused: ['admin', 'annotator', 'stranger'],
    },
    { route: 'deleting it', call: deleteWorkspace, refused: ['admin', 'annotator', 'stranger'] },
  ]
  test.each(cases)('$route is refused to: $refused; a missing one is found missing by owners only', async ({ call, refused }) => {
    const contexts = { admin, annotator, stranger }
    for (const [name, asking] of Object.entries(contexts)) {
      if (refused.includes(name as Name)) await expect(call(asking, workspaceId)).rejects.toMatchObject({ code: 'forbidden' })
      else await expect(call(asking, workspaceId)).resolves.toBeDefined()
      await expect(call(asking, missing)).rejects.toMatchObject({ code: 'forbidden' })
    }
    await expect(call(owner, missing)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('creating a workspace is for owners', async () => {
    for (const asking of [admin, annotator]) {
      await expect(createWorkspace(asking, { name: 'new' })).rejects.toMatchObject({ code: 'forbidden' })
    }
  })

  test('removing a member is refused to annotators and to admins of other workspaces', async () => {
    for (const asking of [annotator, stranger]) {
      await expect(removeWorkspaceUser(asking, workspaceId, annotator.actor.id)).rejects.toMatchObject({ code: 'forbidden' })
    }
  })
})
