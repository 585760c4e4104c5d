/**
 * Nothing that was answered is lost. Twenty times the server is killed, without warning, while programs write records and
 * people submit responses; each time it starts again on the same folder and must hold every write it had answered.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { MARKERS, openRandom } from '../load/corpus.ts'
import { createMeasuredDataset, type MeasuredDataset, toBodies } from '../load/dataset.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import { MAIN } from '../main-file.ts'
import { type StartedServer, startServer } from '../server.ts'

const ROUNDS = 20
const RECORDS_PER_BULK = 50

const home = mkdtempSync(join(tmpdir(), 'postil-crash-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** What the server said it had stored. */
const answered = { externalIds: new Set<string>(), responseIds: new Set<string>() }
const unanswered: string[] = []
let nextRecord = 0

test(`what was answered survives ${ROUNDS} kills, and the index equals the store`, async () => {
  const random = openRandom(20)
  let server = await startServer({ home })
  const dataset = await createMeasuredDataset(server)
  for (let round = 0; round < ROUNDS; round++) {
    const before = answered.externalIds.size
    const writers = [writeRecords(server, dataset), writeRecords(server, dataset), writeResponses(server), writeResponses(server)]
    await expect.poll(() => answered.externalIds.size).toBeGreaterThan(before)
    await setTimeout(random() * 300)
    await server.kill()
    await Promise.all(writers)
    server = await startServer({ home })
    const stored = await readAll(server, dataset)
    expect(missing(answered.externalIds, stored.externalIds), `records lost in round ${round}`).toEqual([])
    expect(missing(answered.responseIds, stored.responseIds), `responses lost in round ${round}`).toEqual([])
    expect(await countFound(server, dataset), `found in round ${round}`).toBe(stored.marked)
  }
  expect(await server.close()).toBe(0)
  expect(answered.externalIds.size).toBeGreaterThanOrEqual(ROUNDS * RECORDS_PER_BULK)
  expect(answered.responseIds.size).toBeGreaterThan(ROUNDS)
  expect(verifyIndex()).toMatch(/all equal/)
})

const missing = (wanted: ReadonlySet<string>, found: ReadonlySet<string>) => [...wanted.difference(found)]

/** Repeats `write` until the server is gone. */
async function untilKilled(server: StartedServer, write: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  try {
    while (true) await write(connection)
  } catch (error) {
    // The kill ends the connection; any other failure is one of the test.
    if (!/closed the connection|ECONNRESET|EPIPE/.test(String(error))) throw error
  } finally {
    connection.close()
  }
}

function writeRecords(server: StartedServer, dataset: MeasuredDataset): Promise<void> {
  return untilKilled(server, async connection => {
    const from = nextRecord
    nextRecord += RECORDS_PER_BULK
    const [body] = toBodies(dataset, from, from + RECORDS_PER_BULK)
    const answer = await connection.send('PUT', `/api/v1/datasets/${dataset.id}/records/bulk`, body)
    expect(answer.status).toBe(200)
    for (const record of JSON.parse(answer.body.toString()).items) {
      answered.externalIds.add(record.external_id)
      unanswered.push(record.id)
    }
  })
}

function writeResponses(server: StartedServer): Promise<void> {
  const body = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })
  return untilKilled(server, async connection => {
    const recordId = unanswered.shift()
    // Nothing to answer yet. A request, because only a request notices the kill.
    if (recordId === undefined) return void (await connection.send('GET', '/api/v1/status'))
    const answer = await connection.send('POST', `/api/v1/records/${recordId}/responses`, body)
    expect(answer.status).toBe(201)
    answered.responseIds.add(JSON.parse(answer.body.toString()).id)
  })
}

async function readAll(server: StartedServer, dataset: MeasuredDataset) {
  const connection = await openConnection(server.url, server.apiKey)
  const stored = { externalIds: new Set<string>(), responseIds: new Set<string>(), marked: 0 }
  for (let offset = 0; ; offset = stored.externalIds.size) {
    const path = `/api/v1/datasets/${dataset.id}/records?limit=1000&include=responses&offset=${offset}`
    const { items } = JSON.parse((await connection.send('GET', path)).body.toString())
    if (items.length === 0) break
    for (const record of items) {
      stored.externalIds.add(record.external_id)
      if (record.fields.text.split(' ').includes(MARKERS.half)) stored.marked++
      for (const response of record.responses) stored.responseIds.add(response.id)
    }
  }
  connection.close()
  return stored
}

/** How many records a search by a word finds. */
async function countFound(server: StartedServer, dataset: MeasuredDataset): Promise<number> {
  const connection = await openConnection(server.url, server.apiKey)
  const body = JSON.stringify({ query: { text: { q: MARKERS.half } } })
  const answer = await connection.send('POST', `/api/v1/datasets/${dataset.id}/records/search?limit=1`, body)
  connection.close()
  return JSON.parse(answer.body.toString()).total
}

/** Throws when the command finds a difference: its exit code is then 1. */
function verifyIndex(): string {
  const env = { PATH: process.env.PATH ?? '', SERVICE_HOME_PATH: home }
  return execFileSync(process.execPath, [MAIN, 'server', 'search-engine', 'verify'], { env, encoding: 'utf8' })
}
