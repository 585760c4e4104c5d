/** Starting, stopping and operating a server. */
import { hash, hkdfSync } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_DATABASE } from '../databases/postgres.ts'
import { runRows } from '../databases/rows.ts'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { caller } from './http.ts'

const newHome = openFolders()

const nobody = { USERNAME: '', PASSWORD: '', API_KEY: '', WORKSPACE: '' }

const mallocSettingsOf = ({ pid }: StartedServer) =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter(text => text.startsWith('MALLOC_'))
    .sort()

const meOf = async ({ url }: StartedServer, headers: Record<string, string>) => fetch(`${url}/api/v1/me`, { headers })

describe('a home folder that others may read', () => {
  const home = newHome()
  const databaseFiles = ['', '-shm', '-wal', '.last-commit', '.lock'].map(suffix => `postil.db${suffix}`)
  const files = ['encryption.key', ...databaseFiles, 'signing.key']
  const modes = () => readdirSync(home).map(name => [name, (statSync(join(home, name)).mode & 0o777).toString(8)])
  const expectPrivate = () => {
    if (TEST_DATABASE === 'sqlite') expect(modes()).toEqual(files.map(name => [name, '600']))
    for (const file of ['signing.key', 'encryption.key']) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600)
  }
  let server: StartedServer
  let key = ''
  let token = ''
  beforeAll(async () => {
    chmodSync(home, 0o755)
    server = await startServer({ home, env: nobody })
  })
  afterAll(() => server?.kill())

  test('the first start makes an owner and shows the credentials', async () => {
    key = /API key +(\S{107})\n/.exec(server.output())?.[1] ?? ''
    const password = /password +(\S+)\n/.exec(server.output())?.[1] ?? ''
    const me = await meOf(server, { 'x-argilla-api-key': key })
    expect(await me.json()).toMatchObject({ username: 'owner', role: 'owner', api_key: key })
    const body = new URLSearchParams({ username: 'owner', password })
    const answer = await fetch(`${server.url}/api/v1/token`, { method: 'POST', body })
    expect(answer.status).toBe(201)
    token = ((await answer.json()) as { access_token: string }).access_token
  })

  test('only the user who runs the server may read its files', expectPrivate)

  test.runIf(process.platform === 'linux')('large freed blocks of memory go back to the system', () => {
    expect(mallocSettingsOf(server)).toEqual(['MALLOC_MMAP_THRESHOLD_=131072', 'MALLOC_TRIM_THRESHOLD_=262144'])
  })

  test('the second start shows no credentials, and the earlier ones are valid', async () => {
    await server.kill()
    for (const name of readdirSync(home)) chmodSync(join(home, name), 0o644)
    server = await startServer({ home, env: { ...nobody, MALLOC_ARENA_MAX: '2' } })
    expect(server.output()).not.toMatch(/API key|password/)
    expect((await meOf(server, { 'x-argilla-api-key': key })).status).toBe(200)
    const signedIn = await meOf(server, { authorization: `Bearer ${token}` })
    expect(signedIn.status, 'a token outlives a restart').toBe(200)
  })

  test('it makes files private that others could read before', expectPrivate)

  test.runIf(process.platform === 'linux')('memory is handled as the operator says', () => {
    expect(mallocSettingsOf(server)).toEqual(['MALLOC_ARENA_MAX=2'])
  })

  test('it ends when it is told to', async () => {
    expect(await server.close()).toBe(0)
  })
})

describe('a home folder of an operator', () => {
  const home = newHome()
  let server: StartedServer
  afterAll(() => server?.kill())

  test('credentials that the operator gave are not printed', async () => {
    server = await startServer({ home, env: { USERNAME: 'lena', PASSWORD: 'of-my-own-making', API_KEY: 'key-of-my-own' } })
    expect(server.output()).toMatch(/username +lena\n +password +the one you gave\n +API key +the one you gave\n/)
    expect(server.output()).not.toMatch(/of-my-own/)
    expect(await server.close()).toBe(0)
  })

  test('keys that an earlier release hashed still open after a start', async () => {
    const secret = Buffer.from(readFileSync(join(home, 'encryption.key'), 'utf8'), 'base64')
    const hashKey = Buffer.from(hkdfSync('sha256', secret, '', 'postil api key hash', 32)).toString('base64')
    const old = hash('sha256', `${hashKey}key-of-my-own`, 'base64url')
    await runRows(server, 'update users set api_key_hash = ?', [old])

    server = await startServer({ home, env: nobody })
    expect((await meOf(server, { 'x-argilla-api-key': 'key-of-my-own' })).status).toBe(200)
  })

  test('a taken port is named', () => {
    const port = new URL(server.url).port
    const other = postil(['start', '--port', port], { SERVICE_HOME_PATH: newHome() })
    expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining(`Port ${port}`) })
  })

  // Several servers may share a PostgreSQL database.
  describe.runIf(TEST_DATABASE === 'sqlite')('its database is refused to', () => {
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

    test.each([
      ['a server', ['start', '--port', '0']],
      ['a backup', ['server', 'backup', join(newHome(), 'backup')]],
      ['migrate', migrate],
    ])('%s that reaches it by another name, which has no log beside it', (_name, args) => {
      const folder = newHome()
      linkSync(`${home}/postil.db`, `${folder}/postil.db`)
      const stderr = expect.stringMatching(/^\/.+\/postil\.db has 2 names \(hard links\).+\n$/)
      expect(postil(args, { SERVICE_HOME_PATH: folder })).toEqual({ status: 1, stdout: '', stderr })
      rmSync(folder, { recursive: true })
    })

    test.each([['database revisions'], ['search-engine verify']])('not to %s, which only reads', command => {
      expect(postil(['server', ...command.split(' ')], { SERVICE_HOME_PATH: home })).toMatchObject({ status: 0, stderr: '' })
    })
  })

  test('a stop answers those who are held for wrong passwords', async () => {
    const body = new URLSearchParams({ username: 'lena', password: 'a wrong one' })
    const guess = async () => (await fetch(`${server.url}/api/v1/token`, { method: 'POST', body })).status
    for (let i = 0; i < 10; i++) expect(await guess()).toBe(401)
    const held = Array.from({ length: 10 }, guess)
    // When the first response arrives, all requests have arrived. The last ones are delayed for some more seconds.
    expect(await Promise.race(held)).toBe(401)
    expect(await server.close()).toBe(0)
    expect(await Promise.all(held)).toContain(503)
  })

  test('revisions are shown, the schema goes down and up, and the index is built and compared', () => {
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
      stderr: expect.stringMatching(/Nothing was changed.*\n {2}users: \d+ rows\n.*--force/s),
    })
    expect(run('server', 'database', 'revisions').stdout).not.toMatch(/Current revision\n {2}none/)
    expect(run(...down, '--force').stdout).toMatch(/users: \d+ rows\n.*down 0001/s)
    expect(run(...down).stdout).toContain('at revision base')
    expect(run('server', 'database', 'migrate').stdout).toContain('up 0001')
  })
})

describe.runIf(TEST_DATABASE === 'sqlite')('a server stops before it stores anything more if somebody', () => {
  const at = (home: string) => (name: string) => join(home, name)
  test.each([
    ['deleted its lock', 'postil.db.lock', rmSync],
    ['moved its database', 'postil.db', (path: string) => renameSync(path, `${path}.old`)],
    ['put a copy in its place', 'postil.db', (path: string) => replaceByCopy(path)],
    ['deleted the log of its database', 'postil.db-wal', rmSync],
  ])('%s', async (_name, file, act) => {
    const home = newHome()
    const server = await startServer({ home })
    const owner = caller(server.url, server.apiKey)
    expect((await owner.send('POST /workspaces', { name: 'before' })).status).toBe(201)
    act(at(home)(file))
    const answers = await Promise.all(['a', 'b', 'c'].map(name => owner.send('POST /workspaces', { name }).catch(() => null)))
    expect(answers.map(answer => answer?.status ?? 503)).toEqual([503, 503, 503])
    const said = `/${file} was moved, replaced or deleted while the server used it`
    await expect.poll(() => server.output()).toMatch(new RegExp(`Postil stops: .+${said.replaceAll('.', '\\.')}`))
    expect(await server.close()).toBe(1)
  })

  function replaceByCopy(path: string): void {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  }
})

test('a database in a folder that does not exist yet is made there', async () => {
  const home = newHome()
  const file = join(home, 'deep/er/feedback.db')
  const server = await startServer({ home, env: { SERVICE_DATABASE_URL: `sqlite:///${file}` } })
  expect(await server.close()).toBe(0)
  expect(existsSync(file)).toBe(true)
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
})
