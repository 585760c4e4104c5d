/** `server start`, `worker` and `search-engine`, run through the built command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient, createDatasetWithSettings, writeRecords } from '@postil/client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { TEST_DATABASE } from '../databases/postgres.ts'
import { HAS_POSTGRES, usePostgres } from '../databases/use-postgres.ts'
import { openFolders } from '../postil.ts'
import { FILE, openPersons } from './run.ts'

const newPerson = openPersons()
const newFolder = openFolders()
const OWNER = { USERNAME: 'owner', PASSWORD: 'owner-password', API_KEY: 'owner.apikey', WORKSPACE: 'default' }

const run = (home: string, ...args: string[]) => newPerson().run(['server', ...args], { env: { SERVICE_HOME_PATH: home } })
const runAlone = (home: string, ...args: string[]) =>
  newPerson().run(['server', ...args], { env: { SERVICE_HOME_PATH: home }, isAlone: true })

/** Starts a long-running command and waits for a line of its output. */
async function startCommand(args: string[], env: Record<string, string>, ready: RegExp) {
  const child = spawn(process.execPath, [FILE, ...args], { env: { PATH: process.env.PATH, ...OWNER, ...env } })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await vi.waitUntil(() => ready.test(output) || child.exitCode !== null, { timeout: 300_000 })
  expect(output).toMatch(ready)
  return {
    output: () => output,
    /** Returns the exit code. */
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await exited
      process.off('exit', killAtExit)
      return code as number | null
    },
  }
}

/** Started before the other tests, which do not wait for it. */
let waited: ReturnType<typeof waitForEngine>
beforeAll(() => {
  waited = waitForEngine()
})

async function waitForEngine() {
  const engine = { SERVICE_SEARCH_ENGINE: 'opensearch', SERVICE_ELASTICSEARCH: 'http://127.0.0.1:9' }
  const began = performance.now()
  const ended = await newPerson().run(['server', 'start', '--port', '0'], {
    env: { SERVICE_HOME_PATH: newFolder(), ...engine, ...OWNER },
  })
  return { ...ended, seconds: (performance.now() - began) / 1000 }
}

const READY = /Postil serves at (\S+?)\/?\n/

describe.runIf(TEST_DATABASE === 'sqlite')('server start', () => {
  test('serves at the address that is given, logs requests if told so, and ends with a signal', async () => {
    const home = newFolder()
    for (const [args, isLogged] of [
      [['server', 'start', '--host', '127.0.0.1', '--port', '0', '--access-log'], true],
      [['start', '--host', '127.0.0.1', '--port', '0', '--no-access-log'], false],
    ] as const) {
      const server = await startCommand([...args], { SERVICE_HOME_PATH: home }, READY)
      const url = READY.exec(server.output())?.[1]
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect((await fetch(`${url}/api/v1/version`)).status).toBe(200)
      expect(await server.stop()).toBe(0)
      expect(server.output().includes('/api/v1/version')).toBe(isLogged)
    }
  })

  test('names a port that is taken, an address that is none, and wrong options', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const ended = await run(newFolder(), 'start', '--host', '127.0.0.1', '--port', String(port))
    taken.close()
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`) })
    expect(await run(newFolder(), 'start', '--port', 'many')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SERVICE_PORT'),
    })
    expect(await run(newFolder(), 'start', '--nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--nothing'"),
    })
    expect(await run(newFolder(), 'start', '--workers', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 to 64'),
    })
    expect(await run(newFolder(), 'start', '--workers', '2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PostgreSQL'),
    })
  })
})

describe('server worker', () => {
  test('needs PostgreSQL and a number of processes', async () => {
    expect(await run(newFolder(), 'worker')).toMatchObject({ code: 1, stderr: expect.stringContaining('needs PostgreSQL') })
    expect(await run(newFolder(), 'worker', '--num-workers', 'two')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 to 64'),
    })
  })

  describe.runIf(HAS_POSTGRES)('on PostgreSQL', () => {
    const postgres = usePostgres()

    test('works until a signal, in as many processes as are given, and accepts --queues', async () => {
      const env = { SERVICE_HOME_PATH: newFolder(), SERVICE_DATABASE_URL: await postgres.newDatabase() }
      const args = ['server', 'worker', '--num-workers', '2', '--queues', 'default', '--queues', 'high']
      const worker = await startCommand(args, env, /without HTTP, in 2 processes/)
      expect(worker.output()).toContain('--queues has no effect')
      expect(await worker.stop()).toBe(0)
    })
  })
})

describe.runIf(TEST_DATABASE === 'sqlite')('server search-engine', () => {
  const UNKNOWN = '0193a0b0-0000-7000-8000-000000000001'
  const home = newFolder()
  const ids: string[] = []
  beforeAll(async () => {
    const server = await startCommand(['server', 'start', '--port', '0'], { SERVICE_HOME_PATH: home }, READY)
    const client = createClient({ url: READY.exec(server.output())?.[1] ?? '', apiKey: OWNER.API_KEY })
    for (const name of ['first', 'second']) {
      const { dataset } = await createDatasetWithSettings(client, {
        workspace: 'default',
        name,
        fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
        questions: [{ name: 'comment', required: true, settings: { type: 'text' } }],
      })
      await writeRecords(client, dataset.id, [{ fields: { text: `words of ${name}` } }])
      ids.push(dataset.id)
    }
    expect(await run(home, 'search-engine', 'reindex')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another Postil process'),
    })
    expect(await run(home, 'search-engine', 'verify')).toMatchObject({ code: 0 })
    expect(await server.stop()).toBe(0)
  })

  test.each([['--dataset-id'], ['--feedback-dataset-id']])('reindex %s builds one index anew', async option => {
    expect(await run(home, 'search-engine', 'reindex', option, ids[1] ?? '')).toMatchObject({
      code: 0,
      stdout: '\rIndexed 1 records of second.\n',
    })
    expect(await run(home, 'search-engine', 'reindex', option, UNKNOWN)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(UNKNOWN),
    })
  })

  test('reindex builds all, oldest first, and verify finds what differs', async () => {
    const all = '\rIndexed 1 records of first.\n\rIndexed 1 records of second.\n'
    expect(await runAlone(home, 'search-engine', 'reindex')).toMatchObject({ code: 0, stdout: all })
    expect(await runAlone(home, 'search-engine', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all equal'),
    })
    expect(await run(home, 'search-engine', 'verify', '--dataset-id', UNKNOWN)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(UNKNOWN),
    })
    const db = new DatabaseSync(join(home, 'postil.db'))
    db.exec(`update record_fields set fields = '{"text": "other words"}'`)
    db.close()
    expect(await run(home, 'search-engine', 'verify', '--dataset-id', ids[0] ?? '')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/first: 1 records compared, different[\s\S]*search-engine reindex/),
    })
    expect(await run(home, 'search-engine', 'reindex')).toMatchObject({ code: 0 })
    expect(await run(home, 'search-engine', 'verify')).toMatchObject({ code: 0 })
  })

  test('revisions shows releases, the history and where the database is', async () => {
    const { code, stdout } = await runAlone(home, 'database', 'revisions')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Tagged revisions\n[\s\S]*• 0\.1 \(0001\)[\s\S]*All revisions, newest first\n[\s\S]*0001 the first schema\nCurrent revision\n {2}\d{4}\n$/,
    )
  })
})

test('server start waits a minute for a search engine, and then fails', async () => {
  const { seconds, ...ended } = await waited
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Waiting for the search engine[\s\S]*It was waited for 60 seconds/),
  })
  expect(seconds).toBeGreaterThan(55)
})
