/**
 * A data folder from before texts were stored in segments: the first start builds them before it serves. It is killed, without warning, at
 * several moments of that, and the next start goes on where it stopped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { createMeasuredDataset, type MeasuredDataset } from '../load/dataset.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import { MAIN } from '../main-file.ts'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'

/** The newest revision without segments. */
const REVISION = '0008'
/** Enough for several pieces. */
const RECORDS = 4_000
const WORDS_PER_RECORD = 500
const RESPONSES = 5
const RECORDS_PER_CALL = 500

const newFolder = openFolders()
/** Never started on: each test has a copy. */
const oldHome = newFolder()
let dataset: MeasuredDataset

const at = (home: string) => ({ SERVICE_HOME_PATH: home })

beforeAll(async () => {
  const server = await startServer({ home: oldHome })
  dataset = await createMeasuredDataset(server)
  await withConnection(server, async connection => {
    for (let from = 0; from < RECORDS; from += RECORDS_PER_CALL) await addRecords(connection, from)
  })
  expect(await server.close()).toBe(0)
  expect(postil(['server', 'database', 'migrate', '--revision', REVISION, '--force'], at(oldHome))).toMatchObject({ status: 0 })
  expect(countIndexed(oldHome)).toEqual({ segments: 0, records: 0 })
})

async function withConnection<T>(server: StartedServer, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(server.url, server.apiKey)
  const result = await work(connection)
  connection.close()
  return result
}

async function addRecords(connection: Connection, from: number): Promise<void> {
  const random = openRandom(from)
  const items = Array.from({ length: RECORDS_PER_CALL }, (_, i) => {
    const words = Array.from({ length: WORDS_PER_RECORD }, () => `word${Math.floor(random() * 5_000)}`)
    return { fields: { text: [`only${from + i}`, `tenth${(from + i) % 10}`, ...words].join(' ') } }
  })
  const path = `/api/v1/datasets/${dataset.id}/records/bulk`
  const answer = JSON.parse(check(await connection.send('POST', path, JSON.stringify({ items }))).body.toString())
  if (from > 0) return
  const body = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })
  for (const { id } of answer.items.slice(0, RESPONSES)) {
    check(await connection.send('POST', `/api/v1/records/${id}/responses`, body))
  }
}

function readRow(home: string, text: string) {
  const database = new DatabaseSync(join(home, 'postil.db'), { readOnly: true, timeout: 10_000 })
  const row = database.prepare(text).get()
  database.close()
  return row
}

/** What the segments of the database hold. */
function countIndexed(home: string): { segments: number; records: number } {
  const isThere = readRow(home, "select 1 from sqlite_master where name = 'text_segments'") !== undefined
  if (!isThere) return { segments: 0, records: 0 }
  const row = readRow(home, 'select count(*) as segments, sum(record_count) as records from text_segments')
  return { segments: Number(row?.segments), records: Number(row?.records) }
}

/** Transactions in which segments were built. The server merges segments afterwards, so it may have fewer. */
const countPieces = (home: string) =>
  Number(readRow(home, "select count(*) as size from changes where event = 'dataset.indexed'")?.size)

type Moment = (seen: { segments: number; ms: number }) => boolean

/** Starts a server and kills it at that moment, unless it serves by then. Milliseconds count from its first line. Returns its output. */
async function killStart(home: string, isMoment: Moment): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', ...at(home) }
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'close')
  let output = ''
  let since = Number.POSITIVE_INFINITY
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      since = Math.min(since, performance.now())
    })
  }
  const isNow = () => isMoment({ segments: countIndexed(home).segments, ms: performance.now() - since })
  while (child.exitCode === null && !output.includes('serves at') && !isNow()) await setTimeout(1)
  child.kill('SIGKILL')
  await exited
  return output
}

async function expectSearchable(server: StartedServer): Promise<void> {
  await withConnection(server, async connection => {
    const find = async (q: string, filters = {}) => {
      const path = `/api/v1/datasets/${dataset.id}/records/search`
      const body = JSON.stringify({ query: { text: { q } }, ...filters })
      return JSON.parse(check(await connection.send('POST', path, body)).body.toString())
    }
    for (const no of [0, 1, RECORDS / 2, RECORDS - 1]) {
      const { total, items } = await find(`only${no}`)
      expect([total, items[0].record.fields.text.split(' ')[0]]).toEqual([1, `only${no}`])
    }
    expect((await find('tenth3')).total).toBe(RECORDS / 10)
    expect((await find(`"only${RECORDS - 1} tenth9"`)).total).toBe(1)
    const scope = { entity: 'record', property: 'status' }
    const filters = { and: [{ type: 'terms', scope, values: ['completed'] }] }
    expect((await find('tenth0 | tenth1 | tenth2 | tenth3 | tenth4', { filters })).total).toBe(RESPONSES)
  })
}

function expectVerified(home: string): void {
  const stdout = expect.stringContaining(`${RECORDS} records compared, all equal`)
  expect(postil(['server', 'search-engine', 'verify'], at(home))).toEqual({ status: 0, stdout, stderr: '' })
}

/** A start that is not killed. */
async function finish(home: string): Promise<void> {
  const { records } = countIndexed(home)
  const server = await startServer({ home })
  if (records < RECORDS)
    expect(server.output()).toMatch(new RegExp(`Building the text index of .+: 0 of ${RECORDS - records} records`))
  else expect(server.output()).not.toContain('Building the text index')
  await expectSearchable(server)
  // No record was built twice.
  expect(countIndexed(home).records).toBe(RECORDS)
  expect(await server.close()).toBe(0)
  expectVerified(home)
}

function copyOld(): string {
  const home = newFolder()
  cpSync(oldHome, home, { recursive: true })
  return home
}

test('is built by the first start, with progress, and not again by the next', async () => {
  const home = copyOld()
  await finish(home)
  const pieces = countPieces(home)
  expect(pieces).toBeGreaterThanOrEqual(4)
  await finish(home)
  expect(countPieces(home)).toBe(pieces)
})

const MOMENTS: [string, Moment][] = [
  ...[1, 2, 3].map((count): [string, Moment] => [`with ${count} segments`, ({ segments }) => segments >= count]),
  ...[10, 200].map((after): [string, Moment] => [`${after} ms after the first line`, ({ ms }) => ms >= after]),
]

test.each(MOMENTS)('is completed by the next start if one is killed %s', async (_name, isMoment) => {
  const home = copyOld()
  expect(await killStart(home, isMoment)).toContain('Building the text index of')
  await finish(home)
})

test('is completed after several kills, each of which found it further', async () => {
  const home = copyOld()
  for (const count of [1, 2, 3]) {
    await killStart(home, ({ segments }) => segments >= count)
    const { segments, records } = countIndexed(home)
    expect(segments).toBeGreaterThanOrEqual(count)
    expect(records).toBeLessThan(RECORDS)
  }
  await finish(home)
})
