/** Starting, stopping and operating a server. */
import { hash, hkdfSync } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_DATABASE } from '../databases/postgres.ts'
import { runRows } from '../databases/rows.ts'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'

const newHome = openFolders()

const nobody = { USERNAME: '', PASSWORD: '', API_KEY: '', WORKSPACE: '' }

test('the first start makes an owner and shows the credentials, the second shows none', async () => {
  const home = newHome()
  const first = await startServer({ home, env: nobody })
  const key = /API key +(\S{107})\n/.exec(first.output())?.[1] ?? ''
  const password = /password +(\S+)\n/.exec(first.output())?.[1] ?? ''
  const me = await fetch(`${first.url}/api/v1/me`, { headers: { 'x-argilla-api-key': key } })
  expect(await me.json()).toMatchObject({ username: 'owner', role: 'owner', api_key: key })
  const token = await fetch(`${first.url}/api/v1/token`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'owner', password }),
  })
  expect(token.status).toBe(201)
  expect(await first.close()).toBe(0)

  const second = await startServer({ home, env: nobody })
  expect(second.output()).not.toMatch(/API key|password/)
  expect((await fetch(`${second.url}/api/v1/me`, { headers: { 'x-argilla-api-key': key } })).status).toBe(200)
  const { access_token } = (await token.json()) as { access_token: string }
  const signedIn = await fetch(`${second.url}/api/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(signedIn.status, 'a token outlives a restart').toBe(200)
  expect(await second.close()).toBe(0)
  for (const file of ['signing.key', 'encryption.key']) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600)
})

test.runIf(process.platform === 'linux')(
  'large freed blocks of memory go back to the system, unless it is set otherwise',
  async () => {
    const settingOf = async (env: Record<string, string>) => {
      const server = await startServer({ env })
      const variables = readFileSync(`/proc/${server.pid}/environ`, 'utf8').split('\0')
      expect(await server.close()).toBe(0)
      return variables.filter(text => text.startsWith('MALLOC_')).sort()
    }
    expect(await settingOf({})).toEqual(['MALLOC_MMAP_THRESHOLD_=131072', 'MALLOC_TRIM_THRESHOLD_=262144'])
    expect(await settingOf({ MALLOC_ARENA_MAX: '2' })).toEqual(['MALLOC_ARENA_MAX=2'])
  },
)

test('credentials that the operator gave are not printed', async () => {
  const home = newHome()
  const server = await startServer({ home, env: { USERNAME: 'lena', PASSWORD: 'of-my-own-making', API_KEY: 'key-of-my-own' } })
  expect(server.output()).toMatch(/username +lena\n +password +the one you gave\n +API key +the one you gave\n/)
  expect(server.output()).not.toMatch(/of-my-own/)
  expect(await server.close()).toBe(0)
})

test('keys that an earlier release hashed still open after a start', async () => {
  const home = newHome()
  const first = await startServer({ home })
  await first.close()
  const secret = Buffer.from(readFileSync(join(home, 'encryption.key'), 'utf8'), 'base64')
  const hashKey = Buffer.from(hkdfSync('sha256', secret, '', 'postil api key hash', 32)).toString('base64')
  const old = hash('sha256', hashKey + first.apiKey, 'base64url')
  await runRows(first, 'update users set api_key_hash = ?', [old])

  const second = await startServer({ home })
  const me = await fetch(`${second.url}/api/v1/me`, { headers: { 'x-argilla-api-key': first.apiKey } })
  expect(me.status).toBe(200)
  await second.close()
})

test('a stop answers those who are held for wrong passwords', async () => {
  const server = await startServer()
  const body = new URLSearchParams({ username: 'owner', password: 'a wrong one' })
  const guess = async () => (await fetch(`${server.url}/api/v1/token`, { method: 'POST', body })).status
  for (let i = 0; i < 10; i++) expect(await guess()).toBe(401)
  const held = Array.from({ length: 10 }, guess)
  // When the first response arrives, all requests have arrived. The last ones are delayed for some more seconds.
  expect(await Promise.race(held)).toBe(401)
  expect(await server.close()).toBe(0)
  expect(await Promise.all(held)).toContain(503)
})

// Several servers may share a PostgreSQL database.
describe.runIf(TEST_DATABASE === 'sqlite')('a database that a server uses is refused to', () => {
  const home = newHome()
  let server: StartedServer
  beforeAll(async () => {
    server = await startServer({ home })
  })
  afterAll(() => server.close())

  const at = (file: string, folder = newHome()) => ({ SERVICE_HOME_PATH: folder, SERVICE_DATABASE_URL: `sqlite:///${file}` })
  const start = (env: Record<string, string>, cwd?: string) => postil(['start', '--port', '0'], env, { cwd })
  function link(target: string): string {
    const path = join(newHome(), 'linked')
    symlinkSync(target, path)
    return path
  }
  const migrate = ['server', 'database', 'migrate']

  test.each([
    ['a second server on the same folder', () => start({ SERVICE_HOME_PATH: home })],
    ['a server with another home', () => start(at(`${home}/postil.db`))],
    ['one through a linked folder', () => start(at(`${link(home)}/postil.db`))],
    ['one through a linked file', () => start(at(link(`${home}/postil.db`)))],
    ['one through a relative path', () => start(at('postil.db'), home)],
    ['migrate', () => postil(migrate, { SERVICE_HOME_PATH: home })],
    ['migrate with another home', () => postil(migrate, at(`${home}/postil.db`))],
    ['reindex', () => postil(['server', 'search-engine', 'reindex'], { SERVICE_HOME_PATH: home })],
  ])('%s', async (_name, run) => {
    const stderr = expect.stringMatching(/^Another Postil process uses the database .+\/postil\.db\. Stop it first.+\n$/)
    expect(run()).toEqual({ status: 1, stdout: '', stderr })
    expect((await fetch(`${server.url}/api/v1/status`)).status).toBe(200)
  })

  test.each([['database revisions'], ['search-engine verify']])('not to %s, which only reads', command => {
    expect(postil(['server', ...command.split(' ')], { SERVICE_HOME_PATH: home })).toMatchObject({ status: 0, stderr: '' })
  })
})

test.runIf(TEST_DATABASE === 'sqlite')(
  'only the user who runs the server may read its files, also those that others could before',
  async () => {
    const home = newHome()
    chmodSync(home, 0o755)
    const modes = () => readdirSync(home).map(name => [name, (statSync(join(home, name)).mode & 0o777).toString(8)])
    const first = await startServer({ home })
    const files = ['encryption.key', 'postil.db', 'postil.db-shm', 'postil.db-wal', 'postil.db.lock', 'signing.key']
    expect(modes()).toEqual(files.map(name => [name, '600']))
    await first.kill()
    for (const name of files) chmodSync(join(home, name), 0o644)
    const second = await startServer({ home })
    expect(modes()).toEqual(files.map(name => [name, '600']))
    expect(await second.close()).toBe(0)
  },
)

test('a database in a folder that does not exist yet is made there', async () => {
  const home = newHome()
  const file = join(home, 'deep/er/feedback.db')
  const server = await startServer({ home, env: { SERVICE_DATABASE_URL: `sqlite:///${file}` } })
  expect(await server.close()).toBe(0)
  expect(existsSync(file)).toBe(true)
})

test('a taken port is named', async () => {
  const server = await startServer()
  const port = new URL(server.url).port
  const other = postil(['start', '--port', port], { SERVICE_HOME_PATH: newHome() })
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining(`Port ${port}`) })
  await server.close()
})

test('wrong settings are listed together, and nothing starts', () => {
  const env = {
    SERVICE_HOME_PATH: newHome(),
    SERVICE_PORT: 'seven',
    SERVICE_BODY_LIMIT: 'much',
    SERVICE_SEARCH_ENGINE: 'elastic',
    SERVICE_AUTH_SECRET_KEY: 'too short',
    SERVICE_TRUSTED_PROXIES: 'proxy.example',
  }
  const { status, stderr } = postil(['start'], env)
  expect(status).toBe(2)
  for (const name of ['PORT', 'BODY_LIMIT', 'SEARCH_ENGINE', 'AUTH_SECRET_KEY', 'TRUSTED_PROXIES']) {
    expect(stderr).toContain(`SERVICE_${name} is`)
  }
  expect(stderr).not.toContain('too short')
})

test('a database of another program is refused and left as it is', () => {
  const home = newHome()
  const file = join(home, 'postil.db')
  const other = new DatabaseSync(file)
  other.exec("create table alembic_version (version_num text); insert into alembic_version values ('d00f819ccc67')")
  other.close()
  const { status, stderr } = postil(['start', '--port', '0'], { SERVICE_HOME_PATH: home })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/an Argilla server made .*Nothing in it was touched.*server import-argilla/),
  })
  const reopened = new DatabaseSync(file)
  expect(reopened.prepare('select name from sqlite_master').all()).toEqual([{ name: 'alembic_version' }])
  reopened.close()
})

describe('the command line', () => {
  test.each([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    [['--help'], 0, /server/],
    [['server', 'database', '--help'], 0, /revisions/],
  ])('%j', (args, status, output) => {
    expect(postil(args, {})).toMatchObject({ status, stdout: expect.stringMatching(output) })
  })

  test.each([[['nonsense']], [['start', '--nonsense']]])('%j is refused with help', args => {
    expect(postil(args, {})).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage') })
  })

  test('shows revisions, migrates down and up, and builds and compares the index', async () => {
    const home = newHome()
    const server = await startServer({ home })
    await server.close()
    const run = (...args: string[]) => postil(args, { SERVICE_HOME_PATH: home })
    expect(run('server', 'database', 'revisions').stdout).toMatch(/Current revision\n {2}\d{4}/)
    expect(run('server', 'search-engine', 'reindex').status).toBe(0)
    expect(run('server', 'search-engine', 'verify').status).toBe(0)
    expect(run('server', 'search-engine', 'verify', '--dataset-id', '01a1dfa4-4ccc-7000-9abf-afe9a3702104').status).toBe(1)
    expect(run('server', 'database', 'migrate', '--revision', '9.9')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not a revision'),
    })
    const down = ['server', 'database', 'migrate', '--revision', 'base']
    expect(run(...down)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/Nothing was changed.*\n {2}users: 1 rows\n.*--force/s),
    })
    expect(run('server', 'database', 'revisions').stdout).not.toMatch(/Current revision\n {2}none/)
    expect(run(...down, '--force').stdout).toMatch(/users: 1 rows\n.*down 0001/s)
    expect(run(...down).stdout).toContain('at revision base')
    expect(run('server', 'database', 'migrate').stdout).toContain('up 0001')
  })
})
