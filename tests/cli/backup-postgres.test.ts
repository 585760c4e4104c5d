/** `server backup` and `server restore` on PostgreSQL, with `pg_dump` and `pg_restore`. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runOn } from '../../packages/server/src/testing/postgres-server.ts'
import { HAS_POSTGRES, usePostgres } from '../databases/use-postgres.ts'
import { openIngest } from '../load/ingest.ts'
import { openFolders } from '../postil.ts'
import { discard, startServer } from '../server.ts'
import { openPersons } from './run.ts'

const TOOLS = process.env.POSTIL_TEST_POSTGRES_TOOLS ?? ''
const FILES = ['encryption.key', 'manifest.json', 'postil.dump', 'signing.key']
const NEW_USER = ['--username', 'ann', '--first-name', 'Ann', '--password', 'a-long-password', '--role', 'annotator']
const newPerson = openPersons()
const newFolder = openFolders()

interface Place {
  home: string
  url: string
  env?: Record<string, string>
}

const server = ({ home, url, env = {} }: Place, ...args: string[]) =>
  newPerson().run(['server', ...args], {
    env: { SERVICE_HOME_PATH: home, SERVICE_DATABASE_URL: url, ...env },
    // A test sends signals to it.
    isAlone: args[0] !== 'database',
  })

const withTools = (place: Place, ...args: string[]) => server(place, ...args, '--postgres-tools', TOOLS)

const listExternalIds = async (url: string) =>
  new Set((await runOn(url, 'select external_id from records')).map(({ external_id }) => external_id))

/** Creates a folder with a script that replaces a tool. */
function makeTool(name: 'pg_dump' | 'pg_restore', lines: string[]): string {
  const folder = newFolder()
  for (const tool of ['pg_dump', 'pg_restore']) {
    const text = tool === name ? lines.join('\n') : `exec ${join(TOOLS, tool)} "$@"`
    writeFileSync(join(folder, tool), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    chmodSync(join(folder, tool), 0o755)
  }
  return folder
}

const SHOW_VERSION = (name: string) => `[ "$1" = --version ] && exec ${join(TOOLS, name)} --version`

// If the tools are missing, `npm test` reports it, and a strict run fails.
describe.runIf(HAS_POSTGRES && TOOLS !== '')('on PostgreSQL', () => {
  const postgres = usePostgres()
  const newPlace = async (): Promise<Place> => ({ home: join(newFolder(), 'home'), url: await postgres.newDatabase() })

  /** Creates a database with an owner, without a server. */
  async function makePlace(): Promise<Place> {
    const place = await newPlace()
    mkdirSync(place.home, { mode: 0o700 })
    expect(await server(place, 'database', 'migrate')).toMatchObject({ code: 0 })
    expect(await server(place, 'database', 'users', 'create_default', '--api-key', 'kept-api-key')).toMatchObject({ code: 0 })
    return place
  }

  let source: Place
  let backup: string
  beforeAll(async () => {
    source = await makePlace()
    backup = join(newFolder(), 'backup')
    expect(await withTools(source, 'backup', backup)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 users') })
  })

  test('a backup taken under write load has every write that was answered before, and its restore has a clean index', async () => {
    const place = await newPlace()
    const running = await startServer({ env: { SERVICE_HOME_PATH: place.home, SERVICE_DATABASE_URL: place.url } })
    const { answered, stop } = await openIngest(running)
    await expect.poll(() => answered.size).toBeGreaterThan(1_000)
    const before = new Set<unknown>(answered)
    const folder = join(newFolder(), 'deep/er')
    const ended = await withTools(place, 'backup', folder)
    const during = answered.size - before.size
    await stop()
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('and checked it: 1 users, 1 datasets') })
    expect(during, 'records written while the backup was made').toBeGreaterThan(0)
    expect(readdirSync(folder)).toEqual(FILES)
    for (const name of FILES) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, '..'))).toEqual(['er'])

    const refused = await withTools(place, 'restore', folder, '--force')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop all servers') })
    await discard(running)

    const target = await newPlace()
    expect(await withTools(target, 'restore', folder)).toMatchObject({ code: 0, stderr: '' })
    const found = await listExternalIds(target.url)
    expect([...before.difference(found)]).toEqual([])
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    expect(found.size).toBe(manifest.rows.records)
    expect(await server(target, 'search-engine', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${found.size} records compared, all equal`),
    })
    const env = { SERVICE_DATABASE_URL: target.url, USERNAME: '', PASSWORD: '', API_KEY: '' }
    const restored = await startServer({ home: target.home, env })
    const me = await fetch(`${restored.url}/api/v1/me`, { headers: { 'x-argilla-api-key': running.apiKey } })
    expect([me.status, ((await me.json()) as { api_key: string }).api_key]).toEqual([200, running.apiKey])
    await discard(restored)
  })

  test.each(['postil.dump', 'encryption.key', 'manifest.json'])('a flipped byte in %s is refused', async name => {
    const folder = join(newFolder(), 'copy')
    cpSync(backup, folder, { recursive: true })
    const bytes = readFileSync(join(folder, name))
    const at = name === 'manifest.json' ? bytes.indexOf('sha256": "') + 12 : Math.floor(bytes.length / 2)
    bytes[at] = name === 'manifest.json' ? (bytes[at] === 0x30 ? 0x31 : 0x30) : (bytes[at] ?? 0) ^ 1
    writeFileSync(join(folder, name), bytes)
    const target = await newPlace()
    expect(await withTools(target, 'restore', folder)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is damaged'),
    })
    expect(await runOn(target.url, "select 1 from pg_class where relname = 'users'")).toEqual([])
    expect(existsSync(target.home)).toBe(false)
  })

  test('a newer backup, one of SQLite and one without its facts are refused', async () => {
    const target = await newPlace()
    const change = async (manifest: object, place: Place, words: string) => {
      const folder = join(newFolder(), 'copy')
      cpSync(backup, folder, { recursive: true })
      const path = join(folder, 'manifest.json')
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...manifest }))
      expect(await withTools(place, 'restore', folder)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
    }
    await change({ format: 9, version: '9.0.0' }, target, 'made by Postil 9.0.0')
    await change({ revision: '9999' }, target, 'newer than this release')
    await change({ postgres: null }, target, 'is damaged')
    await change(
      { postgres: { schema: 'public', tool_version: '99.1', server_version: '99.1' } },
      target,
      'what pg_dump 99.1 wrote',
    )
    await change({ postgres: { schema: 'other', tool_version: '18', server_version: '18' } }, target, 'of the schema other')
    await change({}, { ...target, url: '' }, 'is of PostgreSQL, and the settings name a database of SQLite')

    const sqlite = { home: join(newFolder(), 'sqlite'), url: '' }
    await server(sqlite, 'database', 'migrate')
    const ofSqlite = join(newFolder(), 'backup')
    expect(await server(sqlite, 'backup', ofSqlite)).toMatchObject({ code: 0 })
    expect(await withTools(target, 'restore', ofSqlite)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is of SQLite'),
    })
  })

  test('what a database holds is replaced only if told so, and then kept aside', async () => {
    const place = await makePlace()
    const key = readFileSync(join(place.home, 'encryption.key'))
    await runOn(place.url, "update users set username = 'earlier'")
    expect(await withTools(place, 'restore', backup)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/tables in the database, .*encryption\.key.*--force/),
    })
    const broken = makeTool('pg_restore', [SHOW_VERSION('pg_restore'), 'echo "cannot write: planted" >&2', 'exit 3'])
    expect(await server(place, 'restore', backup, '--force', '--postgres-tools', broken)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/exit code 3.*planted\nNothing was changed/),
    })
    expect(await runOn(place.url, 'select username from users')).toEqual([{ username: 'earlier' }])
    expect(readFileSync(join(place.home, 'encryption.key'))).toEqual(key)
    expect(readdirSync(place.home)).toEqual(['encryption.key', 'signing.key'])

    const { code, stdout } = await withTools(place, 'restore', backup, '--force')
    expect(code).toBe(0)
    const aside = /the schema (replaced_\w+) of the database/.exec(stdout)?.[1]
    expect(await runOn(place.url, `select username from ${aside}.users`)).toEqual([{ username: 'earlier' }])
    expect(await runOn(place.url, 'select username from users')).toEqual([{ username: 'postil' }])
    expect(readFileSync(join(place.home, 'encryption.key'))).toEqual(readFileSync(join(source.home, 'encryption.key')))
    const replaced = readdirSync(place.home).find(name => name.startsWith('replaced-')) ?? ''
    expect(readFileSync(join(place.home, replaced, 'encryption.key'))).toEqual(key)
    // The audit log is still protected, and database timestamps are preserved.
    await expect(runOn(place.url, 'truncate audit_entries')).rejects.toThrow()
  })

  test('tables of another program are neither backed up nor replaced', async () => {
    const place = await newPlace()
    expect(await withTools(place, 'backup', join(newFolder(), 'b'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The database is empty'),
    })
    await runOn(place.url, 'create table theirs (name text)')
    expect(await withTools(place, 'backup', join(newFolder(), 'b'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tables of another program'),
    })
    expect(await withTools(place, 'restore', backup, '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('theirs'),
    })
  })

  test('tools that are missing, too old or failing are named, and nothing is left', async () => {
    const parent = newFolder()
    const run = (tools: string) => server(source, 'backup', join(parent, 'b'), '--postgres-tools', tools)
    const expectFailure = async (tools: string, words: RegExp) =>
      expect(await run(tools)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(words) })
    await expectFailure(parent, /pg_dump was not found\. Install PostgreSQL's client programs of version 18 or newer/)
    await expectFailure(
      makeTool('pg_dump', ['echo "pg_dump (PostgreSQL) 13.4 (Debian 13.4-1)"']),
      /pg_dump is of version 13\.4, which cannot read PostgreSQL 18/,
    )
    await expectFailure(makeTool('pg_dump', ['echo hello']), /does not tell a version/)
    await expectFailure(
      makeTool('pg_dump', [SHOW_VERSION('pg_dump'), 'echo "No space left on device" >&2', 'exit 1']),
      /pg_dump failed \(exit code 1\): No space left on device/,
    )
    const dump = `${join(TOOLS, 'pg_dump')} "$@"`
    await expectFailure(makeTool('pg_dump', [`${dump} --exclude-table-data=users`]), /no rows in users instead of 1/)
    // The last argument is the file name.
    const cut = `truncate -s -200 "$(echo "$@" | sed 's/.*--file=//')"`
    await expectFailure(makeTool('pg_dump', [SHOW_VERSION('pg_dump'), dump, cut]), /pg_restore failed/)
    expect(readdirSync(parent)).toEqual([])
    const noPath = await server({ ...source, env: { PATH: parent } }, 'backup', join(parent, 'b'))
    expect(noPath).toMatchObject({ code: 1, stderr: expect.stringContaining('pg_dump was not found on PATH') })
  })

  test('a signal ends the tool, and everything is as before', async () => {
    const stopping = (name: 'pg_dump' | 'pg_restore') =>
      makeTool(name, [SHOW_VERSION(name), 'kill -TERM $PPID', 'exec sleep 600'])
    const parent = newFolder()
    expect(await server(source, 'backup', join(parent, 'b'), '--postgres-tools', stopping('pg_dump'))).toMatchObject({
      code: 1,
      stderr: 'Stopped by SIGTERM. Nothing was kept of the backup.\n',
    })
    expect(readdirSync(parent)).toEqual([])
    expect(await server(source, 'restore', backup, '--force', '--postgres-tools', stopping('pg_restore'))).toMatchObject({
      code: 1,
      stderr: 'Stopped by SIGTERM. Nothing was changed.\n',
    })
    expect(await runOn(source.url, 'select username from users')).toEqual([{ username: 'postil' }])
    const schemas = await runOn(source.url, "select nspname from pg_namespace where nspname like 'replaced%'")
    expect(schemas).toEqual([])
  })

  test('the password is not on the command line of a tool', async () => {
    const log = join(newFolder(), 'arguments')
    const tools = makeTool('pg_dump', [`echo "$@" >> ${log}`, `exec ${join(TOOLS, 'pg_dump')} "$@"`])
    await runOn(source.url, "create role secretive login superuser password 'p@ss w%rd:/?'").catch(() => {})
    const url = source.url.replace('postil:postil@', 'secretive:p%40ss%20w%25rd%3A%2F%3F@')
    const ended = await server({ ...source, url }, 'backup', join(newFolder(), 'b'), '--postgres-tools', tools)
    expect(ended).toMatchObject({ code: 0 })
    expect(readFileSync(log, 'utf8')).toContain('--dbname=postgresql://secretive@127.0.0.1')
    expect(readFileSync(log, 'utf8')).not.toMatch(/p@ss|%40ss|w%|rd:/)
  })

  test('with keys in the database a backup has no key files, and needs the same setting', async () => {
    const place = { ...(await newPlace()), env: { SERVICE_AUTH_SECRET_KEY: 'a-secret-of-the-deployment-000000' } }
    await server(place, 'database', 'migrate')
    await server(place, 'database', 'users', 'create_default', '--quiet')
    const folder = join(newFolder(), 'b')
    expect(await withTools(place, 'backup', folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('SERVICE_AUTH_SECRET_KEY'),
    })
    expect(readdirSync(folder)).toEqual(['manifest.json', 'postil.dump'])
    const target = { ...(await newPlace()), env: place.env }
    expect(await withTools(target, 'restore', folder)).toMatchObject({ code: 0 })
    expect(await server(target, 'database', 'users', 'create', ...NEW_USER)).toMatchObject({ code: 0 })
  })

  test('keys of another server are not backed up', async () => {
    const other = { ...source, home: newFolder() }
    expect(await withTools(other, 'backup', join(newFolder(), 'b'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('encryption.key'),
    })
  })
})
