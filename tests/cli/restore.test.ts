/** `server restore` of backups from `server backup`, and `server doctor`. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient, createDatasetWithSettings, writeRecords } from '@postil/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { TEST_DATABASE } from '../databases/postgres.ts'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { openPersons } from './run.ts'

const newPerson = openPersons()
const newFolder = openFolders()
const RECORDS = 50
const PAGE_BYTES = 4096
const DAMAGED_DATABASES = Number(process.env.POSTIL_TEST_DAMAGED ?? 20)

function sqliteFinds(file: string): string {
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    const found = db.prepare('pragma integrity_check(1)').get() as { integrity_check: string }
    db.close()
    return found.integrity_check
  } catch (error) {
    return (error as Error).message
  }
}

const server = (home: string, ...args: string[]) => newPerson().run(['server', ...args], { env: { SERVICE_HOME_PATH: home } })
const serverAlone = (home: string, ...args: string[]) =>
  newPerson().run(['server', ...args], { env: { SERVICE_HOME_PATH: home }, isAlone: true })

async function fill({ url, apiKey }: StartedServer): Promise<void> {
  const client = createClient({ url, apiKey })
  const { dataset } = await createDatasetWithSettings(client, {
    workspace: 'default',
    name: 'kept',
    fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
    questions: [{ name: 'comment', required: true, settings: { type: 'text' } }],
  })
  await writeRecords(
    client,
    dataset.id,
    Array.from({ length: RECORDS }, (_, row) => ({ fields: { text: `text ${row}` } })),
  )
}

// PostgreSQL has separate tools for this.
describe.skipIf(TEST_DATABASE !== 'sqlite')('restore', () => {
  let backup: string
  beforeAll(async () => {
    const running = await startServer()
    await fill(running)
    backup = join(newFolder(), 'backup')
    expect(await serverAlone(running.home, 'backup', backup)).toMatchObject({ code: 0 })
    await running.close()
  })

  const copyOf = () => {
    const folder = newFolder()
    for (const name of readdirSync(backup)) writeFileSync(join(folder, name), readFileSync(join(backup, name)))
    return folder
  }

  test('makes the data of a server that has all records and a clean index', async () => {
    const home = join(newFolder(), 'new')
    expect(await serverAlone(home, 'restore', backup)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${RECORDS} records`),
    })
    expect(readdirSync(home).filter(name => name !== 'postil.db.lock')).toEqual(['encryption.key', 'postil.db', 'signing.key'])
    expect(await server(home, 'search-engine', 'verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('all equal') })
    const restored = await startServer({ home })
    const client = createClient({ url: restored.url, apiKey: restored.apiKey })
    expect((await client.listMyDatasets()).items).toMatchObject([{ name: 'kept' }])
    expect(await server(home, 'restore', backup, '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another Postil process'),
    })
    await restored.close()
  })

  test('overwrites nothing, unless forced, and then keeps what was there', async () => {
    const running = await startServer()
    const { home } = running
    // Killed, so that a write-ahead log is left over. It must not be applied to the restored database.
    await running.kill()
    const before = readFileSync(join(home, 'encryption.key'))
    const refused = await server(home, 'restore', backup)
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--force') })
    expect(readFileSync(join(home, 'encryption.key'))).toEqual(before)
    const { code, stdout } = await server(home, 'restore', backup, '--force')
    expect(code).toBe(0)
    const aside = readdirSync(home).find(name => name.startsWith('replaced-')) ?? ''
    expect(stdout).toContain(join(home, aside))
    expect(readFileSync(join(home, aside, 'encryption.key'))).toEqual(before)
    expect(existsSync(join(home, 'postil.db-wal'))).toBe(false)
    expect(await server(home, 'search-engine', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${RECORDS} records`),
    })
    await running.close()
  })

  test.each(['postil.db', 'encryption.key', 'manifest.json'])('refuses a backup in which a byte of %s is flipped', async name => {
    const folder = copyOf()
    const bytes = readFileSync(join(folder, name))
    const place = Math.floor(bytes.length / 3)
    // A digit of a checksum in the manifest.
    const at = name === 'manifest.json' ? bytes.indexOf('sha256": "') + 12 : place
    bytes[at] = name === 'manifest.json' ? (bytes[at] === 0x30 ? 0x31 : 0x30) : (bytes[at] ?? 0) ^ 1
    writeFileSync(join(folder, name), bytes)
    const home = join(newFolder(), 'new')
    expect(await server(home, 'restore', folder)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is damaged'),
    })
    expect(existsSync(home)).toBe(false)
  })

  test('refuses a backup that is cut off, incomplete, newer or none', async () => {
    const home = join(newFolder(), 'new')
    const change = async (work: (folder: string) => void, words: string) => {
      const folder = copyOf()
      work(folder)
      expect(await server(home, 'restore', folder)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
    }
    const rewrite = (folder: string, change: object) => {
      const path = join(folder, 'manifest.json')
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }))
    }
    await change(
      folder => writeFileSync(join(folder, 'postil.db'), readFileSync(join(folder, 'postil.db')).subarray(0, -1)),
      'is damaged',
    )
    await change(folder => rmSync(join(folder, 'encryption.key')), 'encryption.key is missing')
    await change(folder => rmSync(join(folder, 'manifest.json')), 'is not a backup')
    await change(folder => rewrite(folder, { format: 3, version: '9.0.0' }), 'made by Postil 9.0.0')
    await change(folder => rewrite(folder, { revision: '9999' }), 'newer than this release')
    await change(
      folder => rewrite(folder, { files: { 'postil.db': { bytes: 1, sha256: '' }, '../evil': { bytes: 1, sha256: '' } } }),
      'is damaged',
    )
    await change(folder => writeFileSync(join(folder, 'manifest.json'), '{'), 'is damaged')
    expect(await server(home, 'restore', join(home, 'none'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a backup'),
    })
    expect(existsSync(home)).toBe(false)
  })
})

describe.skipIf(TEST_DATABASE !== 'sqlite')('doctor', () => {
  type Finding = { check: string; status: string; message: string; advice: string | null }
  const statuses = (findings: Finding[]) => Object.fromEntries(findings.map(({ check, status }) => [check, status]))

  test('finds nothing wrong with a running server, and changes nothing', async () => {
    const running = await startServer()
    await fill(running)
    const { code, stdout } = await serverAlone(running.home, 'doctor')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('FAILED') })
    const ended = await server(running.home, 'doctor', '--json')
    expect(statuses(ended.json())).toMatchObject({ settings: 'ok', keys: 'ok', database: 'ok', clock: 'ok', index: 'ok' })
    await running.close()
  })

  test('and `search-engine verify` find every damage that SQLite finds', async () => {
    const kept = newFolder()
    const running = await startServer({ home: kept })
    await fill(running)
    await running.close()
    const whole = readFileSync(join(kept, 'postil.db'))
    const pages = whole.length / PAGE_BYTES
    const random = openRandom(7)
    const found = { damaged: 0, intact: 0 }
    for (let i = 0; i < DAMAGED_DATABASES; i++) {
      const home = newFolder()
      cpSync(kept, home, { recursive: true })
      const bytes = Buffer.from(whole)
      const at = Math.floor(random() * pages) * PAGE_BYTES + Math.floor(random() * PAGE_BYTES)
      bytes.fill(i % 3 === 0 ? 0 : 0xff, at, at + Math.ceil(random() * PAGE_BYTES))
      writeFileSync(join(home, 'postil.db'), bytes)
      const isIntact = sqliteFinds(join(home, 'postil.db')) === 'ok'
      found[isIntact ? 'intact' : 'damaged']++
      const findings = (await server(home, 'doctor', '--json')).json() as Finding[]
      if (!isIntact) expect(statuses(findings), `round ${i}`).toMatchObject({ database: 'failed' })
      const verified = await server(home, 'search-engine', 'verify')
      if (!isIntact) expect(verified, `round ${i}`).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') })
      expect(verified.stderr).not.toMatch(/^ +at /m)
      expect(readFileSync(join(home, 'postil.db')).equals(bytes), 'it changes nothing').toBe(true)
    }
    expect(found.damaged).toBeGreaterThan(DAMAGED_DATABASES / 3)
  })

  test('names a missing folder, wrong settings, an old schema, open keys and times of the future, with what to do', async () => {
    const home = join(newFolder(), 'new')
    const missing = await server(home, 'doctor', '--json')
    expect(missing.code).toBe(1)
    expect(missing.json().at(-1)).toMatchObject({
      check: 'folder',
      status: 'failed',
      advice: expect.stringContaining('SERVICE_HOME_PATH'),
    })
    expect(existsSync(home)).toBe(false)

    const env = { SERVICE_HOME_PATH: home, SERVICE_PORT: 'many' }
    const wrong = await newPerson().run(['server', 'doctor', '--json'], { env })
    expect(wrong.code).toBe(1)
    expect(wrong.json()).toMatchObject([
      { check: 'settings', status: 'failed', message: expect.stringContaining('SERVICE_PORT') },
    ])

    mkdirSync(home, { mode: 0o700 })
    expect((await server(home, 'doctor', '--json')).json()).toContainEqual(
      expect.objectContaining({ check: 'database', status: 'failed' }),
    )

    await server(home, 'database', 'migrate')
    await server(home, 'database', 'users', 'create_default', '--quiet')
    await server(home, 'database', 'migrate', '--revision', '0018', '--force')
    chmodSync(join(home, 'encryption.key'), 0o644)
    const old = await server(home, 'doctor', '--json')
    expect(old.code).toBe(1)
    const found = old.json() as Finding[]
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'database', status: 'failed', advice: expect.stringContaining('migrate') }),
    )
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'keys', status: 'warning', advice: expect.stringContaining('chmod 600') }),
    )

    await server(home, 'database', 'migrate')
    const db = new DatabaseSync(join(home, 'postil.db'))
    db.exec("update users set inserted_at = '2999-01-01T00:00:00.000000'")
    db.close()
    expect(statuses((await server(home, 'doctor', '--json')).json())).toMatchObject({ clock: 'warning' })
  })
})
