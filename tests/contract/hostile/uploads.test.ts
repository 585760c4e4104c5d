/** Uploads that never finish: their memory use, and other users during the attack. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { User } from '@postil/domain/users'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltDataset, SMALL } from '../datasets.ts'
import { aUser, type Caller, caller, NO_ID, openOwnWorld } from '../http.ts'
import { HANG_MS } from '../server-work.ts'
import { closeConnections, openConnection, type RawConnection, requestText } from './raw-socket.ts'
import type { MemoryReport } from './report-memory.ts'
import { datasetOf, expectAlive, type Target, within } from './target.ts'

const MIB = 1_048_576
const PIECE = new Uint8Array(MIB).fill(0x20)

const folder = mkdtempSync(join(tmpdir(), 'postil-memory-'))
const reportFile = join(folder, 'report')

let target: Target
let dataset: BuiltDataset
let attacker: Caller
beforeAll(async () => {
  // The default limit of bodies, and nothing in memory of other files.
  const NODE_OPTIONS = `--import=${fileURLToPath(new URL('report-memory.ts', import.meta.url))}`
  target = await openOwnWorld({ NODE_OPTIONS, REPORT_MEMORY_FILE: reportFile })
  dataset = await datasetOf(target, SMALL)
  // A user who may write to the dataset. For other users the body is not read.
  attacker = await aUser(target.server.url, target.owner, 'owner')
})
afterEach(closeConnections)
afterAll(async () => {
  await target?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns what the server holds in memory now, in MiB. */
async function memory(): Promise<MemoryReport> {
  writeFileSync(reportFile, '')
  await expect.poll(() => readFileSync(reportFile, 'utf8')).not.toBe('')
  const { resident, buffers } = JSON.parse(readFileSync(reportFile, 'utf8')) as MemoryReport
  return { resident: resident / MIB, buffers: buffers / MIB }
}

/** Sends as much of a declared body as the server reads, up to one byte less than all of it. */
async function upload(line: string, headers: string[], bytes: number): Promise<RawConnection> {
  const connection = await openConnection(target)
  connection.write(requestText(line, [...headers, `Content-Length: ${bytes}`]))
  for (let left = bytes - 1; left > 0 && connection.received() === '' && !connection.closed(); left -= PIECE.length) {
    const { promise, resolve } = Promise.withResolvers<void>()
    connection.socket.write(PIECE.subarray(0, Math.min(left, PIECE.length)), () => resolve())
    // A refused connection may be destroyed before the piece is sent.
    await Promise.race([promise, pause(2_000, undefined, { ref: false })])
  }
  return connection
}

const statusOf = (connection: RawConnection) => Number(connection.received().slice(9, 12))
const keyOf = ({ key }: Caller) => `X-Argilla-Api-Key: ${key}`

describe('twelve unfinished uploads of 50 MiB', () => {
  test('take no more memory than the share of one user, and keep nobody from working', async () => {
    const line = `POST /api/v1${dataset.path}/records/bulk`
    await expectAlive(target)
    const before = await memory()
    const uploads = await Promise.all(Array.from({ length: 12 }, () => upload(line, [keyOf(attacker)], 50 * MIB)))

    await expect.poll(() => uploads.filter(one => statusOf(one) === 429).length).toBeGreaterThanOrEqual(8)
    const refused = uploads.filter(one => statusOf(one) === 429)
    for (const one of refused) {
      expect(one.received()).toMatch(/\r\nretry-after: \d+\r\n/)
      expect(one.received()).toMatch(/"detail":"[^"]*one user[^"]*"/)
    }
    // The share of a user is 128 MiB, and pieces that were just read may add a few. Without it, the bodies would be more than 600.
    const held = await memory()
    expect(held.buffers - before.buffers).toBeLessThan(160)
    expect(held.resident - before.resident).toBeLessThan(224)

    // Other users with large and small bodies, and the attacker with small ones.
    const records = { items: [{ fields: { text: 'a'.repeat(2 * MIB) } }] }
    expect((await target.owner.send(`POST ${dataset.path}/records/bulk`, records)).status).toBe(201)
    expect((await attacker.send('GET /me')).status).toBe(200)
    expect((await attacker.send(`POST /datasets/${NO_ID}/records/search`, {})).status).toBe(404)
    await expectAlive(target)
  })

  test('give their memory back when they end', async () => {
    const line = `POST /api/v1${dataset.path}/records/bulk`
    const uploads = await Promise.all(Array.from({ length: 4 }, () => upload(line, [keyOf(attacker)], 60 * MIB)))
    await expect.poll(() => uploads.filter(one => statusOf(one) === 429).length).toBeGreaterThan(0)
    const text = JSON.stringify({ items: [] }).padEnd(60 * MIB)
    const send = () => attacker.send(`POST ${dataset.path}/records/bulk`, text, { 'content-type': 'application/json' })
    closeConnections()
    await expect.poll(async () => (await send()).status).toBe(422)
  })
})

describe('unfinished bodies of unauthenticated requests', () => {
  test('do not keep anybody from signing in', async () => {
    // 300 bodies of 64 KiB exceed the total limit.
    const line = 'POST /api/v1/workspaces'
    for (let i = 0; i < 300; i += 50) await Promise.all(Array.from({ length: 50 }, () => upload(line, [], 65_536)))
    const { username, password, url } = target.server
    const nobody = caller(url, null)
    const session = await within(HANG_MS, nobody.send<User>('POST /session', { username, password }))
    expect([session.status, session.body.username]).toEqual([201, username])
    const form = new URLSearchParams({ username, password })
    expect((await within(HANG_MS, nobody.send('POST /token', form))).status).toBe(201)
    await expectAlive(target)
  })
})
