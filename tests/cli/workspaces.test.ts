import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'
import { failed, openPersons } from './run.ts'

const newPerson = openPersons()
let on: Fixture
beforeAll(async () => {
  on = await openFixture(newPerson)
  await on.client.createWorkspace({ body: { name: 'team' } })
})
afterAll(() => on?.close())

const owner = (...args: string[]) => on.owner.run(['workspaces', ...args])
const ownerAlone = (...args: string[]) => on.owner.run(['workspaces', ...args], { isAlone: true })
const annotator = (...args: string[]) => on.annotator.run(['workspaces', ...args])

describe('workspaces list', () => {
  test('shows all to an owner, and their own to others', async () => {
    const { code, stdout } = await ownerAlone('list')
    expect(code).toBe(0)
    for (const word of ['Workspaces', 'ID', 'Name', 'Creation Date', 'Last Update Date', 'default', 'team'])
      expect(stdout).toContain(word)
    expect(stdout).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}/)
    expect((await owner('list', '--json')).json().map((one: { name: string }) => one.name)).toEqual(['default', 'team'])
    expect((await annotator('list', '--json')).json().map((one: { name: string }) => one.name)).toEqual(['default'])
  })
})

describe('workspaces create', () => {
  test('creates one', async () => {
    expect(await ownerAlone('create', 'new-one')).toMatchObject({ code: 0, stdout: expect.stringContaining('Workspace created') })
    expect((await on.client.listMyWorkspaces()).items.map(({ name }) => name)).toContain('new-one')
  })

  test('fails if there is one of this name', async () => {
    expect(await owner('create', 'team')).toMatchObject(failed('Workspace already exists', 'team'))
  })

  test('fails with an empty name', async () => {
    expect(await owner('create', '')).toMatchObject(failed('Unexpected error', 'name'))
  })

  test('needs the owner role', async () => {
    expect(await annotator('create', 'another')).toMatchObject(failed('Not enough permissions', 'owner'))
  })

  test('without a name is a wrong use', async () => {
    expect(await owner('create')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('name') })
  })
})

describe('members', () => {
  const membersOf = async (name: string) => {
    const workspace = (await on.client.listMyWorkspaces()).items.find(one => one.name === name)
    return (await on.client.listWorkspaceUsers({ params: { workspace_id: workspace?.id ?? '' } })).items.map(one => one.username)
  }

  test('are added and deleted, with the workspace given on the group or on the command', async () => {
    expect(await ownerAlone('--name', 'team', 'add-user', 'ann')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('User added'),
    })
    expect(await membersOf('team')).toEqual(['ann'])
    expect(await owner('add-user', 'ann', '--name', 'team')).toMatchObject(failed('User already exists', 'ann'))
    const deleted = { code: 0, stdout: expect.stringContaining('User deleted') }
    expect(await owner('delete-user', 'ann', '--name', 'team')).toMatchObject(deleted)
    expect(await membersOf('team')).toEqual([])
    expect(await owner('--name', 'team', 'delete-user', 'ann')).toMatchObject(failed('User not in workspace', 'ann'))
  })

  test('of the workspace on the command, if both are given', async () => {
    expect(await owner('--name', 'nowhere', 'add-user', 'ann', '--name', 'team')).toMatchObject({ code: 0 })
    expect(await ownerAlone('--name', 'team', 'delete-user', 'ann')).toMatchObject({ code: 0 })
  })

  test.each([['add-user'], ['delete-user']])('%s names what it does not find', async command => {
    expect(await owner('--name', 'nowhere', command, 'ann')).toMatchObject(failed('Workspace not found', 'nowhere'))
    expect(await owner('--name', 'team', command, 'nobody')).toMatchObject(failed('User not found', 'nobody'))
    expect(await owner('--name', 'team', command, 'owner')).toMatchObject(failed('User is owner', 'owner'))
  })

  test.each([['add-user'], ['delete-user']])('%s needs the owner role, a login and --name', async command => {
    expect(await annotator('--name', 'default', command, 'ann')).toMatchObject(failed('Not enough permissions'))
    expect(await newPerson().run(['workspaces', '--name', 'team', command, 'ann'])).toMatchObject(failed('Not logged in'))
    expect(await owner(command, 'ann')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("'--name <name>'") })
  })
})

test.each([['workspaces'], ['users'], ['datasets']])('%s without a command prints its help', async group => {
  const { code, stdout } = await newPerson().run([group])
  expect(code).toBe(0)
  expect(stdout).toContain('Examples:')
  expect(await newPerson().run([group, 'nothing'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'nothing'"),
  })
})
