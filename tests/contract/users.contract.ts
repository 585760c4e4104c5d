/** Users and workspaces: stored data, uniqueness, and what is deleted with them. */
import type { Role, User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefused } from './answers.ts'
import { aDataset, SMALL_DRAFT } from './datasets.ts'
import { aUser, aWorkspace, fresh, NO_ID, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const create = (given: object) => {
  const body = { first_name: 'Lena', username: fresh('lena'), password: 'a long password', ...given }
  return world.owner.send<User>('POST /users', body)
}
type Users = { items: User[] }
type Workspaces = { items: Workspace[] }

describe('a new user', () => {
  test('is an annotator with an API key unless told otherwise', async () => {
    const { body } = await create({ first_name: '  Lena ', role: null, last_name: null, id: null, full_name: 'x', email: 3 })
    expect(body).toMatchObject({ first_name: 'Lena', last_name: null, role: 'annotator' })
    expect(body.api_key).toMatch(/^[A-Za-z0-9_-]{107}$/)
    expect(body.updated_at).toBe(body.inserted_at)
  })

  test('may have any visible name, in any case', async () => {
    const username = fresh('Ünï cödé')
    expect((await create({ username })).body.username).toBe(username)
    expectRefused(await create({ username }), 409)
    expect((await create({ username: username.toUpperCase() })).status).toBe(201)
  })

  test('may have names of up to 200 characters', async () => {
    const name = `${fresh('long-')} ${'🦀'.repeat(180)}`
    const made = await create({ username: name, first_name: ` ${'x'.repeat(200)} `, last_name: 'x'.repeat(200) })
    expect([made.status, made.body.username]).toEqual([201, name])
  })

  test('may have an id of its own, once', async () => {
    const id = '11111111-1111-4111-8111-111111111111'
    expect((await create({ id })).body.id).toBe(id)
    expectRefused(await create({ id }), 409)
  })

  test('joins the workspaces that are named, or is not made', async () => {
    const { name } = await world.owner.done<Workspace>('POST /workspaces', { name: fresh('named') })
    const { body } = await create({ workspaces: [name] })
    expect(Object.keys(body)).not.toContain('workspaces')
    const joined = await world.owner.done<Workspaces>(`GET /users/${body.id}/workspaces`)
    expect(joined.items.map(workspace => workspace.name)).toEqual([name])

    const username = fresh('lost')
    expectRefused(await create({ username, workspaces: [name, 'no such workspace'] }))
    const { items } = await world.owner.done<Users>('GET /users')
    expect(items.map(user => user.username)).not.toContain(username)
  })
})

describe('changing a user', () => {
  const aPerson = async () => (await create({ last_name: 'Okafor' })).body
  const patch = (id: string, body: object) => world.owner.send<User>(`PATCH /users/${id}`, body)

  test('moves updated_at only when something changed', async () => {
    const user = await aPerson()
    expect((await patch(user.id, {})).body).toEqual(user)
    expect((await patch(user.id, { first_name: ' Lena ', last_name: 'Okafor', role: 'annotator' })).body).toEqual(user)
    const changed = (await patch(user.id, { last_name: null, first_name: 'Nadia', id: NO_ID, api_key: 'x' })).body
    expect(changed).toEqual({ ...user, last_name: null, first_name: 'Nadia', updated_at: changed.updated_at })
    expect(changed.updated_at > user.updated_at).toBe(true)
  })

  test('to a name that is taken is a rule broken, not a conflict', async () => {
    const user = await aPerson()
    expectRefused(await patch(user.id, { username: world.memberAdmin.username }), 422)
    expect((await patch(user.id, { username: user.username })).status).toBe(200)
  })
})

test('users are listed oldest first', async () => {
  const { items } = await world.owner.done<Users>('GET /users')
  const times = items.map(user => user.inserted_at)
  expect(times).toEqual(times.toSorted())
  // The owner that the first start made.
  expect(items[0]?.username).toBe('owner')
})

describe('workspaces', () => {
  test('have unique names and ids, and no members at first', async () => {
    const id = '22222222-2222-4222-8222-222222222222'
    const name = fresh('team')
    const made = await world.owner.done<Workspace>('POST /workspaces', { id, name })
    expect(made).toMatchObject({ id, name })
    expectRefused(await world.owner.send('POST /workspaces', { name }), 409)
    expectRefused(await world.owner.send('POST /workspaces', { id, name: fresh('team') }), 409)
    expect(await world.owner.done(`GET /workspaces/${id}/users`)).toEqual({ items: [] })
  })

  test('are all there for owners, and only their own for others, oldest first', async () => {
    const seen = async (role: Role) => {
      const user = await aUser(world.server.url, world.owner, role)
      await world.owner.done(`POST /workspaces/${world.otherWorkspaceId}/users`, { user_id: user.id })
      await world.owner.done(`POST /workspaces/${world.workspaceId}/users`, { user_id: user.id })
      const mine = (await user.done<Workspaces>('GET /me/workspaces')).items
      expect(mine).toEqual((await world.owner.done<Workspaces>(`GET /users/${user.id}/workspaces`)).items)
      return mine
    }
    const own = [world.workspaceId, world.otherWorkspaceId]
    expect((await seen('annotator')).map(({ id }) => id)).toEqual(own)
    expect((await seen('admin')).map(({ id }) => id)).toEqual(own)
    const all = await seen('owner')
    expect(all.length).toBeGreaterThan(2)
    expect(all[0]?.name).toBe(world.server.workspace)
    expect(all.map(({ inserted_at }) => inserted_at)).toEqual(all.map(({ inserted_at }) => inserted_at).toSorted())
  })

  test('list members in the order they joined', async () => {
    const id = await aWorkspace(world.owner)
    const people = [world.strangerAdmin, world.memberAnnotator, world.memberAdmin]
    for (const { id: user_id } of people) await world.owner.done(`POST /workspaces/${id}/users`, { user_id })
    const { items } = await world.owner.done<Users>(`GET /workspaces/${id}/users`)
    expect(items.map(user => user.id)).toEqual(people.map(person => person.id))
  })

  test('take a user once; removing and adding answer the user', async () => {
    const id = await aWorkspace(world.owner)
    const { id: user_id, username } = world.strangerAnnotator
    const add = () => world.owner.send<User>(`POST /workspaces/${id}/users`, { user_id })
    const remove = () => world.owner.send<User>(`DELETE /workspaces/${id}/users/${user_id}`)
    expect(await add()).toMatchObject({ status: 201, body: { id: user_id, username } })
    expectRefused(await add(), 409)
    expect(await remove()).toMatchObject({ status: 200, body: { id: user_id, username } })
    expectRefused(await remove(), 404)
    expectRefused(await world.owner.send(`POST /workspaces/${id}/users`, { user_id: NO_ID }), 422)
  })

  test('with a dataset cannot be deleted; memberships go with an empty one', async () => {
    const id = await aWorkspace(world.owner)
    const member = await aUser(world.server.url, world.owner, 'annotator')
    await world.owner.done(`POST /workspaces/${id}/users`, { user_id: member.id })
    const dataset = await aDataset(world, { ...SMALL_DRAFT, workspace_id: id })
    expectRefused(await world.owner.send(`DELETE /workspaces/${id}`), 409)
    await world.owner.done(`DELETE ${dataset.path}`)
    expect((await world.owner.send(`DELETE /workspaces/${id}`)).status).toBe(200)
    expect(await member.done('GET /me/workspaces')).toEqual({ items: [] })
  })
})
