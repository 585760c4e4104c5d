/** `server database users` and `server database migrate`, run through the `postil` binary. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createClient } from '@postil/client'
import { afterAll, describe, expect, test } from 'vitest'
import { databaseSettings, dropDatabase, makeDatabase, TEST_DATABASE } from '../databases/postgres.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'
import { type CommandResult, openPersons, type RunOptions } from './run.ts'

const newPerson = openPersons()
const newFolder = openFolders()
const homes: string[] = []
afterAll(async () => {
  for (const home of homes) await dropDatabase(home)
})

interface Home {
  path: string
  run(args: string[], options?: RunOptions): Promise<CommandResult>
  users(args: string[], options?: RunOptions): Promise<CommandResult>
}

/** Creates a data folder with an empty database of this release and without users. */
async function newHome(): Promise<Home> {
  const path = newFolder()
  await makeDatabase(path)
  homes.push(path)
  const person = newPerson()
  const env = { SERVICE_HOME_PATH: path, SERVICE_USERS_DB_FILE: `${path}/users.yml`, ...databaseSettings(path) }
  const run = (args: string[], options: RunOptions = {}) => person.run(['server', 'database', ...args], { env, ...options })
  expect(await run(['migrate'])).toMatchObject({ code: 0 })
  return { path, run, users: (args, options) => run(['users', ...args], options) }
}

const ANN = ['create', '--first-name', 'Ann', '--username', 'ann', '--role', 'owner', '--password', 'secret of ann']

async function withServer(home: Home, work: (url: string) => Promise<void>): Promise<void> {
  const server = await startServer({
    home: home.path,
    env: { USERNAME: '', PASSWORD: '', API_KEY: '', ...databaseSettings(home.path) },
  })
  try {
    await work(server.url)
  } finally {
    await server.close()
  }
}

describe('create', () => {
  test('makes a user who can use the server, and workspaces that are missing', async () => {
    const home = await newHome()
    const more = ['--last-name', 'Berg', '--api-key', 'key-of-ann', '--workspace', 'team', '--workspace', 'other']
    const ended = await home.users([...ANN, ...more], { isAlone: true })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout.split('\n').slice(1, -1)).toEqual([
      "• first_name: 'Ann'",
      "• last_name: 'Berg'",
      "• username: 'ann'",
      "• role: 'owner'",
      "• api_key: 'key-of-ann'",
      "• workspaces: ['team', 'other']",
    ])
    await withServer(home, async url => {
      const client = createClient({ url, apiKey: 'key-of-ann' })
      expect(await client.getMe()).toMatchObject({ username: 'ann', role: 'owner', first_name: 'Ann', last_name: 'Berg' })
      expect((await client.listMyWorkspaces()).items.map(({ name }) => name)).toEqual(['team', 'other'])
      await expect(client.createToken({ body: { username: 'ann', password: 'secret of ann' } })).resolves.toBeTruthy()
      const { items } = await client.listAuditLog()
      expect(items.filter(({ details }) => details.command === 'database users create').length).toBe(3)
    })
  })

  test('asks for what is missing', async () => {
    const home = await newHome()
    const ended = await home.users(['create', '--first-name', 'Bob'], { input: 'bob\n\nsecret of bob\nsecret of bob\n' })
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("• role: 'annotator'") })
    expect(ended.stderr).toContain('Username: Role (owner, admin, annotator) [annotator]: Password: ')
    expect(ended.stdout).toMatch(/• api_key: '[\w-]{40,}'/)
  })

  test('skips a username or an API key that is taken, with exit code 0', async () => {
    const home = await newHome()
    await home.users([...ANN, '--api-key', 'key-of-ann'])
    expect(await home.users(ANN)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Skipped.*'ann'/) })
    const sameKey = [
      'create',
      '--first-name',
      'B',
      '--username',
      'b',
      '--role',
      'admin',
      '--password',
      'secret of b',
      '--api-key',
      'key-of-ann',
    ]
    expect(await home.users(sameKey)).toMatchObject({ code: 0, stdout: expect.stringContaining('Skipped') })
  })

  test.each([
    ['a name that looks like an existing one', 'аnn', '`ann`'],
    ['a space after the name', 'bob ', 'white space'],
    ['an invisible character', 'bo\u200bb', 'U+200B'],
  ])('refuses %s, and says why', async (_what, username, reason) => {
    const home = await newHome()
    await home.users(ANN)
    const args = ['create', '--first-name', 'B', '--username', username, '--role', 'admin', '--password', 'secret of b']
    expect(await home.users(args)).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
    const workspace = ['--workspace', 'team', '--workspace', 'tеam']
    const bob = ['create', '--first-name', 'B', '--username', 'bob', '--role', 'admin', '--password', 'secret of b']
    expect(await home.users([...bob, ...workspace])).toMatchObject({ code: 1, stderr: expect.stringContaining('`team`') })
    expect(await home.users(bob)).toMatchObject({ code: 0 })
  })

  test('without options prints its help', async () => {
    const { code, stdout } = await newPerson().run(['server', 'database', 'users', 'create'])
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:')
  })

  test.each([
    ['no first name', ['create', '--username', 'x', '--role', 'admin', '--password', 'long enough'], 'first_name'],
    ['a short password', [...ANN.slice(0, -1), 'short'], 'password'],
    [
      'an empty username',
      ['create', '--first-name', 'X', '--username', '', '--role', 'admin', '--password', 'long enough'],
      'username',
    ],
    ['a short API key', [...ANN, '--api-key', 'short'], 'api_key'],
  ])('fails with %s', async (_, args, word) => {
    const home = await newHome()
    expect(await home.users(args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(word) })
  })

  test('refuses an unknown role as a wrong use', async () => {
    expect(await newPerson().run(['server', 'database', 'users', 'create', '--role', 'boss'])).toMatchObject({ code: 2 })
  })
})

describe('create_default', () => {
  test('makes an owner with a random password and key, once', async () => {
    const home = await newHome()
    const { code, stdout } = await home.users(['create_default'], { isAlone: true })
    expect(code).toBe(0)
    const [, password = '', apiKey = ''] = /• password: '(.+)'\n• role: 'owner'\n• api_key: '(.+)'/.exec(stdout) ?? []
    expect(password.length).toBeGreaterThan(20)
    expect(await home.users(['create_default'])).toMatchObject({ code: 0, stdout: expect.stringContaining('exists already') })
    await withServer(home, async url => {
      const client = createClient({ url, apiKey })
      expect(await client.getMe()).toMatchObject({ username: 'postil', role: 'owner', first_name: '' })
      await expect(client.createToken({ body: { username: 'postil', password } })).resolves.toBeTruthy()
      expect((await client.listMyWorkspaces()).items.map(({ name }) => name)).toContain('postil')
    })
  })

  test('takes password and key as given, and prints nothing if told so', async () => {
    const home = await newHome()
    const args = ['create_default', '--password', '1234', '--api-key', 'k', '--quiet']
    expect(await home.users(args)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await withServer(home, async url => {
      expect(await createClient({ url, apiKey: 'k' }).getMe()).toMatchObject({ username: 'postil' })
    })
  })
})

test('update changes the role and shows both', async () => {
  const home = await newHome()
  await home.users(ANN)
  expect(await home.users(['update', 'ann', '--role', 'admin'], { isAlone: true })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("• role: 'owner' -> 'admin'"),
  })
  expect(await home.users(['update', 'ann'], { input: 'annotator\n' })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("-> 'annotator'"),
  })
  expect(await home.users(['update', 'ann', '--role', 'annotator'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Skipped'),
  })
  expect(await home.users(['update', 'bob', '--role', 'admin'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Skipped'),
  })
  expect(await home.users(['update', 'ann'], { input: 'boss\n' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('boss'),
  })
  expect(await home.users(['update'])).toMatchObject({ code: 2 })
})

describe('migrate of users', () => {
  /** bcrypt hashes of `secret of lena` and `secret of otto`. */
  const LENA = '$2y$05$U9O0cu7B/x8DxgKxOvxM.u04m37aaTx2vMCNFzDUmbfp3JF4tdH5y'
  const OTTO = '$2y$05$wvzd2f8eQPHoCAhcg1R38O9bpps5r8kVPYGmbEvvcJz2ncw1p51P.'
  const write = (home: Home, text: string) => writeFileSync(`${home.path}/users.yml`, text)

  test('takes over users with their passwords, keys and workspaces', async () => {
    const home = await newHome()
    write(
      home,
      `- {username: lena, full_name: Lena K, api_key: key-of-lena, hashed_password: "${LENA}", workspaces: [team, other]}
- {username: otto, api_key: key-of-otto, hashed_password: "${OTTO}"}
- {username: nils, api_key: key-of-nils, hashed_password: "${OTTO}", workspaces: null}
`,
    )
    const { code, stdout } = await home.users(['migrate'], { isAlone: true })
    expect({ code, lines: stdout.split('\n').slice(1, -1) }).toEqual({
      code: 0,
      lines: [
        "• 'lena' (annotator): lena, team, other",
        "• 'otto' (owner): otto",
        "• 'nils' (owner): nils",
        '3 users were migrated.',
      ],
    })
    await withServer(home, async url => {
      const lena = createClient({ url, apiKey: 'key-of-lena' })
      expect(await lena.getMe()).toMatchObject({ first_name: 'Lena K', role: 'annotator' })
      expect((await lena.listMyWorkspaces()).items.map(({ name }) => name).toSorted()).toEqual(['lena', 'other', 'team'])
      await expect(lena.createToken({ body: { username: 'lena', password: 'secret of lena' } })).resolves.toBeTruthy()
      await expect(lena.createToken({ body: { username: 'lena', password: 'secret of otto' } })).rejects.toMatchObject({
        code: 'unauthenticated',
      })
      expect(await createClient({ url, apiKey: 'key-of-nils' }).getMe()).toMatchObject({ role: 'owner', first_name: '' })
    })
  })

  test.each([
    [
      'a user who exists',
      `- {username: new, api_key: key-of-new, hashed_password: "${OTTO}"}\n- {username: ann, api_key: k, hashed_password: "${OTTO}"}`,
      'already exists',
    ],
    ['a hash that is not bcrypt', '- {username: new, api_key: key-of-new, hashed_password: plain}', 'Entry 1'],
    ['no list', 'username: new', 'not a list'],
    ['broken YAML', '- {username: "new', 'line'],
  ])('with %s takes over nobody', async (_, text, words) => {
    const home = await newHome()
    await home.users(ANN)
    write(home, text)
    const ended = await home.users(['migrate'])
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
    expect(await home.users(['update', 'new', '--role', 'admin'])).toMatchObject({
      stdout: expect.stringContaining('there is no user'),
    })
  })

  test('without the file names it', async () => {
    const home = await newHome()
    expect(await home.users(['migrate'])).toMatchObject({ code: 1, stderr: expect.stringContaining('users.yml') })
  })
})

test('migrate goes down to a release, and up again, and says what is lost', async () => {
  const home = await newHome()
  await home.users(ANN)
  const refused = await home.run(['migrate', '--revision', '0.1'])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })
  const down = await home.run(['migrate', '--revision', '0.1', '--force'], { isAlone: true })
  expect(down).toMatchObject({ code: 0, stdout: expect.stringMatching(/down 0002[\s\S]*The database is at revision 0001/) })
  expect(await home.run(['revisions'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/• 0\.1 \(0001\)[\s\S]*Current revision\n {2}0001/),
  })
  // A command that needs this release's schema explains what to do.
  expect(await home.users(['update', 'ann', '--role', 'admin'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('database migrate'),
  })
  expect(await home.run(['migrate'])).toMatchObject({ code: 0, stdout: expect.stringContaining('up 0002') })
  expect(await home.users(['update', 'ann', '--role', 'admin'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("'owner' -> 'admin'"),
  })
  expect(await home.run(['migrate', '--revision', '7.7'])).toMatchObject({ code: 1, stderr: expect.stringContaining('0.1') })
})

test.each([[['server']], [['server', 'database']], [['server', 'database', 'users']], [['server', 'search-engine']]])(
  '%j without a command prints its help',
  async args => {
    const { code, stdout } = await newPerson().run(args)
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:')
    expect(await newPerson().run([...args, 'nothing'])).toMatchObject({ code: 2, stderr: expect.stringContaining("'nothing'") })
  },
)

test.skipIf(TEST_DATABASE !== 'sqlite')('commands on the database of a running server on SQLite say that it runs', async () => {
  const home = await newHome()
  await home.users(ANN)
  await withServer(home, async () => {
    expect(await home.users(['update', 'ann', '--role', 'admin'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another Postil process'),
    })
  })
  expect(readFileSync(`${home.path}/encryption.key`).length).toBeGreaterThan(32)
})
