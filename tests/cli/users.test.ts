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

const owner = (...args: string[]) => on.owner.run(['users', ...args])
const ownerAlone = (...args: string[]) => on.owner.run(['users', ...args], { isAlone: true })
const PASSWORD = ['--password', 'a good password']

const findUser = async (name: string) => (await on.client.listUsers()).items.find(({ username }) => username === name)
const namesIn = (users: { username: string }[]) => users.map(({ username }) => username)

describe('users list', () => {
  test('shows users with their workspaces', async () => {
    const { code, stdout } = await ownerAlone('list')
    expect(code).toBe(0)
    for (const word of [
      'Users',
      'Username',
      'Role',
      'First name',
      'Last name',
      'Workspaces',
      'Creation Date',
      'Last Updated Date',
    ]) {
      expect(stdout).toContain(word)
    }
    expect(stdout).toMatch(/ann .*annotator.*• default/)
    const users = (await owner('list', '--json')).json()
    expect(users[1]).toMatchObject({ username: 'adam', role: 'admin', workspaces: ['default'] })
  })

  test('chooses by workspace and role', async () => {
    expect(namesIn((await owner('list', '--role', 'admin', '--json')).json())).toEqual(['adam'])
    expect(namesIn((await owner('list', '--workspace', 'default', '--role', 'annotator', '--json')).json())).toEqual(['ann'])
    expect((await owner('list', '--workspace', 'team', '--json')).json()).toEqual([])
    expect(await owner('list', '--workspace', 'nowhere')).toMatchObject(failed('Workspace not found', 'nowhere'))
    expect(await owner('list', '--role', 'boss')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('owner, admin, annotator'),
    })
  })

  test('is for owners, and for admins of the workspace', async () => {
    expect(await on.admin.run(['users', 'list'])).toMatchObject(failed('Not enough permissions'))
    const ended = await on.admin.run(['users', 'list', '--workspace', 'default', '--json'])
    expect(namesIn(ended.json())).toEqual(expect.arrayContaining(['adam', 'ann']))
    expect(await on.admin.run(['users', 'list', '--workspace', 'team'])).toMatchObject(failed('Workspace not found'))
    expect(await on.annotator.run(['users', 'list', '--workspace', 'default'])).toMatchObject(failed('Not enough permissions'))
  })

  test('does not pass control characters of names to the terminal', async () => {
    const body = { username: 'mal', first_name: '\u001b[2Jmal\u202e', password: 'a good password' }
    await on.client.createUser({ body })
    const { stdout } = await owner('list')
    expect(stdout).toContain('�[2Jmal�')
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
  })
})

describe('users create', () => {
  test('creates a user in workspaces', async () => {
    const names = [
      '--first-name',
      'Bob',
      '--last-name',
      'Berg',
      '--role',
      'admin',
      '--workspace',
      'default',
      '--workspace',
      'team',
    ]
    const { code, stdout } = await ownerAlone('create', '--username', 'Bob_1', ...PASSWORD, ...names)
    expect(code).toBe(0)
    const lines = [
      'User created',
      '• Username: Bob_1',
      '• Role: admin',
      '• First name: Bob',
      '• Last name: Berg',
      '• Workspaces: default, team',
    ]
    for (const line of lines) expect(stdout).toContain(line)
    expect(stdout).toContain(`• API Key: ${(await findUser('Bob_1'))?.api_key}`)
  })

  test('asks for username and password, and calls the user by the username', async () => {
    const ended = await on.owner.run(['users', 'create', '--json'], { input: 'cleo\nsecret of cleo\nsecret of cleo\n' })
    expect(ended).toMatchObject({ code: 0, stderr: 'Username: Password: Repeat the password: ' })
    expect(ended.json()).toMatchObject({ username: 'cleo', first_name: 'cleo', role: 'annotator', workspaces: [] })
    const token = on.client.createToken({ body: { username: 'cleo', password: 'secret of cleo' } })
    await expect(token).resolves.toMatchObject({ token_type: 'bearer' })
  })

  test('fails if the passwords differ', async () => {
    const ended = await on.owner.run(['users', 'create', '--username', 'dora'], { input: 'secret of dora\nsecret of Dora\n' })
    expect(ended).toMatchObject(failed('Invalid parameters', 'differ'))
    expect(await findUser('dora')).toBeUndefined()
  })

  test('fails if there is a user of this name', async () => {
    expect(await owner('create', '--username', 'ann', ...PASSWORD)).toMatchObject(failed('User already exists', 'ann'))
  })

  test.each([
    ['a short password', ['--username', 'emma', '--password', 'short'], 'password'],
    ['an unknown workspace', ['--username', 'emma', ...PASSWORD, '--workspace', 'nowhere'], 'nowhere'],
    ['a bad username', ['--username', 'em ma', ...PASSWORD], 'letters, digits'],
    ['an empty first name', ['--username', 'emma', ...PASSWORD, '--first-name', ' '], 'first_name'],
  ])('fails with %s, and says what is wrong', async (_, args, word) => {
    const ended = await owner('create', ...args)
    expect(ended).toMatchObject(failed('Invalid parameters', word))
    expect(ended.stdout).not.toContain('a good password')
    expect(await findUser('emma')).toBeUndefined()
  })

  test('needs the owner role and a known role', async () => {
    expect(await on.admin.run(['users', 'create', '--username', 'x'])).toMatchObject(failed('Not enough permissions'))
    expect(await owner('create', '--username', 'x', '--role', 'boss')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('boss'),
    })
  })
})

describe('users update', () => {
  test('changes what is given', async () => {
    await owner('create', '--username', 'finn', ...PASSWORD)
    const changes = ['--role', 'admin', '--first-name', 'Finn', '--last-name', 'Falk', '--new-username', 'finn2']
    const ended = await ownerAlone('--username', 'finn', 'update', ...changes)
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('User updated') })
    expect(await findUser('finn2')).toMatchObject({ role: 'admin', first_name: 'Finn', last_name: 'Falk' })
  })

  test('asks for a new password', async () => {
    await owner('create', '--username', 'gina', ...PASSWORD)
    const args = ['users', 'update', '--username', 'gina', '--ask-password']
    expect(await on.owner.run(args, { input: 'another password\nanother password\n', isAlone: true })).toMatchObject({ code: 0 })
    const token = on.client.createToken({ body: { username: 'gina', password: 'another password' } })
    await expect(token).resolves.toMatchObject({ token_type: 'bearer' })
  })

  test('names what is wrong', async () => {
    expect(await owner('--username', 'nobody', 'update', '--role', 'admin')).toMatchObject(failed('User not found', 'nobody'))
    expect(await owner('--username', 'ann', 'update', '--password', 'short')).toMatchObject(
      failed('Invalid parameters', 'password'),
    )
    expect(await on.admin.run(['users', 'update', '--username', 'ann', '--role', 'owner'])).toMatchObject(
      failed('Not enough permissions'),
    )
    expect(await owner('--username', 'ann', 'update')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to change'),
    })
    expect(await owner('update', '--role', 'admin')).toMatchObject({ code: 2, stderr: expect.stringContaining('--username') })
  })
})

describe('users delete', () => {
  test('deletes a user', async () => {
    await owner('create', '--username', 'hans', ...PASSWORD)
    expect(await ownerAlone('--username', 'hans', 'delete')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('User removed'),
    })
    expect(await findUser('hans')).toBeUndefined()
    expect(await owner('delete', '--username', 'hans')).toMatchObject(failed('User not found', 'hans'))
  })

  test('needs the owner role and --username', async () => {
    expect(await on.admin.run(['users', '--username', 'ann', 'delete'])).toMatchObject(failed('Not enough permissions'))
    expect(await owner('delete')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("'--username <username>'"),
    })
  })
})
