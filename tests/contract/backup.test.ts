/** `postil server backup`: of a running server, of a stopped one, and its errors. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { openIngest } from '../load/ingest.ts'
import { MAIN } from '../main-file.ts'
import { openFolders, postil } from '../postil.ts'
import { startServer } from '../server.ts'

const newFolder = openFolders()
const FILES = ['encryption.key', 'manifest.json', 'postil.db', 'signing.key']

const backup = (home: string, folder: string, shell?: string) =>
  postil(['server', 'backup', folder], { SERVICE_HOME_PATH: home }, shell === undefined ? {} : { shell })

/** Runs in a separate process, so that writes continue. */
async function backupMeanwhile(home: string, folder: string) {
  const env = { PATH: process.env.PATH ?? '', SERVICE_HOME_PATH: home }
  const child = spawn(process.execPath, [MAIN, 'server', 'backup', folder], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

function readBackup(folder: string) {
  const db = new DatabaseSync(join(folder, 'postil.db'), { readOnly: true })
  const { records_count } = db.prepare('select records_count from dataset_heads').get() as { records_count: number }
  const rows = db.prepare('select external_id from records').all() as { external_id: string }[]
  db.close()
  return { records_count, externalIds: new Set(rows.map(row => row.external_id)) }
}

test('a backup of a server that is written to is one moment of it, and a server starts on it', async () => {
  const home = newFolder()
  const folder = join(newFolder(), 'deep/er')
  const server = await startServer({ home })
  const { answered, stop } = await openIngest(server)
  await expect.poll(() => answered.size).toBeGreaterThan(1_000)
  const before = new Set(answered)
  const { code, output } = await backupMeanwhile(home, folder)
  const during = answered.size - before.size
  await stop()
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`SERVICE_HOME_PATH=${folder}`) })
  expect(during, 'records written while the backup was made').toBeGreaterThan(0)

  const { records_count, externalIds } = readBackup(folder)
  expect(externalIds.size).toBe(records_count)
  expect([...before.difference(externalIds)]).toEqual([])
  expect(readdirSync(folder)).toEqual(FILES)
  for (const name of FILES) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, '..'))).toEqual(['er'])
  expect(await server.close()).toBe(0)

  const target = join(newFolder(), 'restored')
  expect(postil(['server', 'restore', folder], { SERVICE_HOME_PATH: target })).toMatchObject({ status: 0 })
  expect(readBackup(target).externalIds).toEqual(externalIds)
  expect(postil(['server', 'search-engine', 'verify'], { SERVICE_HOME_PATH: target })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${records_count} records compared, all equal`),
  })

  const restored = await startServer({ home: folder, env: { USERNAME: '', PASSWORD: '', API_KEY: '' } })
  const me = await fetch(`${restored.url}/api/v1/me`, { headers: { 'x-argilla-api-key': server.apiKey } })
  expect([me.status, ((await me.json()) as { api_key: string }).api_key]).toEqual([200, server.apiKey])
  expect(await restored.close()).toBe(0)
  expect(postil(['server', 'search-engine', 'verify'], { SERVICE_HOME_PATH: folder })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${records_count} records compared, all equal`),
  })
})

/** Home folder of a server that was killed, so that the write-ahead log has data that the database file lacks. */
const stoppedHome = newFolder()
beforeAll(async () => {
  const server = await startServer({ home: stoppedHome })
  await server.kill()
})

test('a stopped server is backed up too, into a folder that is empty, and only there', () => {
  const home = stoppedHome
  const folder = newFolder()
  expect(backup(home, folder)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('1 users') })
  expect(readdirSync(folder)).toEqual(FILES)
  expect(backup(home, folder)).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining(`${folder} is not an empty folder`),
  })
  writeFileSync(join(home, 'file'), '')
  expect(backup(home, join(home, 'file'))).toMatchObject({ status: 1, stderr: expect.stringContaining('is not an empty folder') })
  expect(backup(home, join(home, 'file', 'below'))).toMatchObject({ status: 1, stderr: expect.stringMatching(/^[^\n]+\n$/) })
})

test.runIf(process.platform === 'linux')('a backup that fails half-way leaves nothing behind', () => {
  const parent = newFolder()
  mkdirSync(join(parent, 'empty'))
  const failed = backup(stoppedHome, join(parent, 'empty'), 'ulimit -f 64')
  expect(failed).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) })
  expect(readdirSync(parent)).toEqual(['empty'])
  expect(existsSync(join(parent, 'empty', 'postil.db'))).toBe(false)
})
