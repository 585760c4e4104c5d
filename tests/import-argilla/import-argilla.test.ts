/** Imports a database of the public Argilla server with the command. The public SDK reads the same from it as from that server. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@postil/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../packages/server/src/storage/sqlite.ts'
import { runOn } from '../../packages/server/src/testing/postgres-server.ts'
import { databaseSettings, makeDatabase } from '../databases/postgres.ts'
import { MAIN } from '../main-file.ts'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { prepareReference, type Reference } from './reference.ts'
import { OWNER, runSdk } from './start-argilla.ts'

const RECORDS = 4_000
const newFolder = openFolders()
const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

interface Tallied {
  count: number
  digest: string
}

interface Report {
  kinds: Record<string, { source: Tallied; target: Tallied | null }>
  records_added: number
  left_out: { count: number; named: string[] }
  notes: { count: number; named: string[] }
}

describe('the database of a public Argilla server', () => {
  let reference: Reference
  /** A copy of its database file. */
  let file: string
  /** A reader, as the running server is one. */
  let reader: DatabaseSync
  let home: string
  let server: StartedServer | undefined
  const from = () => ['server', 'import-argilla', '--from', `sqlite:///${file}`, '--json']

  beforeAll(async () => {
    reference = await prepareReference(RECORDS, newFolder)
    file = join(newFolder(), 'argilla.db')
    copyFileSync(reference.file, file)
    reader = new DatabaseSync(file)
    expect(reader.prepare('select count(*) as count from records').get()).toEqual({ count: RECORDS })
    home = newFolder()
    await makeDatabase(home)
    expect(postil(['server', 'database', 'migrate'], { SERVICE_HOME_PATH: home })).toMatchObject({ status: 0 })
  })
  /** Without these settings it would create another owner. */
  const start = () =>
    startServer({
      home,
      env: { USERNAME: OWNER.username, PASSWORD: OWNER.password, API_KEY: OWNER.apiKey, WORKSPACE: 'team' },
    })
  afterAll(async () => {
    await server?.close()
    reader?.close()
  })

  const run = (): { status: number | null; report: Report } => {
    const { status, stdout, stderr } = postil(from(), { SERVICE_HOME_PATH: home })
    if (stdout === '') throw new Error(stderr)
    return { status, report: JSON.parse(stdout) }
  }

  test('is imported after a run that was killed, and a further run changes nothing', async () => {
    const before = hashOf(file)
    await runUntilKilled()
    const { status, report } = run()
    expect(report.left_out).toEqual({ count: 0, named: [] })
    expect(report.notes).toEqual({ count: 0, named: [] })
    for (const { source, target } of Object.values(report.kinds)) expect(target).toEqual(source)
    expect(report.kinds).toMatchObject({
      users: { source: { count: 4 } },
      questions: { source: { count: 6 } },
      records: { source: { count: RECORDS } },
      webhooks: { source: { count: 1 } },
    })
    expect(status).toBe(0)
    expect(run()).toMatchObject({ status: 0, report: { records_added: 0, kinds: report.kinds } })
    expect(hashOf(file)).toBe(before)
  })

  test('is read through the public SDK as from the other server, field by field', async () => {
    server = await start()
    const output = runSdk('compare.py', [server.url, OWNER.apiKey, reference.read], newFolder())
    const { counts, differences } = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    expect(differences).toEqual([])
    expect(counts).toMatchObject({ users: 4, workspaces: 2, datasets: 2, webhooks: 1, records: RECORDS })
    expect(counts.responses).toBeGreaterThan(RECORDS)
    expect(counts.suggestions).toBeGreaterThan(RECORDS)
  })

  test('is searched here, and its users sign in with their passwords and keys', async () => {
    const started = server ?? (await start())
    server = started
    const client = createClient({ url: started.url, apiKey: OWNER.apiKey })
    const [dataset] = (await client.listMyDatasets()).items.filter(({ name }) => name === 'everything')
    const found = await client.searchMyRecords({
      params: { dataset_id: dataset?.id ?? '' },
      body: { query: { text: { q: 'number 17 Paris' } } },
    })
    expect(found.total).toBeGreaterThan(0)
    for (const [username, password] of [
      [OWNER.username, OWNER.password],
      ['ben', 'ben-password'],
    ] as const) {
      for (let time = 0; time < 2; time++) {
        const answer = await fetch(`${started.url}/api/v1/token`, {
          method: 'POST',
          body: new URLSearchParams({ username, password }),
        })
        expect(answer.status).toBe(201)
      }
    }
  })

  /** Kills the import after some batches are stored. */
  async function runUntilKilled(): Promise<void> {
    const env = { PATH: process.env.PATH, SERVICE_HOME_PATH: home, ...databaseSettings(home) }
    const child = spawn(process.execPath, [MAIN, ...from()], { env, stdio: 'ignore' })
    const exited = once(child, 'exit')
    while (child.exitCode === null && (await countRecords()) < 1_000) await wait(20)
    child.kill('SIGKILL')
    const [code] = await exited
    expect(code).toBe(null)
    const stored = await countRecords()
    expect([stored >= 1_000, stored < RECORDS]).toEqual([true, true])
  }

  /** Counts the records of the target. */
  async function countRecords(): Promise<number> {
    const { SERVICE_DATABASE_URL: url } = databaseSettings(home)
    const text = 'select count(*) as rows from records'
    if (url) return Number((await runOn(url, text))[0]?.rows)
    const path = `${home}/postil.db`
    const db = openSqlite({ path, readonly: true, synchronous: 'full', busyTimeoutMs: 10_000, cacheMb: 1 })
    try {
      return (await db.sql.get<{ rows: number }>(text))?.rows ?? 0
    } finally {
      await db.close()
    }
  }
})
