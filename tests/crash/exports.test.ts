/** The file of an export is complete, even if the server is repeatedly killed while it is written. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Export } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { linesOf } from '../contract/exports-world.ts'
import { caller } from '../contract/http.ts'
import { aHubDataset } from '../contract/hub-world.ts'
import { runRows } from '../databases/rows.ts'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'

const RECORDS = 3_000
/** Number of kills during an export. On PostgreSQL each waits for a lease to expire. */
const KILLS = process.env.POSTIL_TEST_DATABASE === 'postgres' ? 2 : 4
const EXPORTS_MAX = 20

const home = openFolders()()
let server: StartedServer
let datasetId: Id
const owner = () => caller(server.url, server.apiKey)

beforeAll(async () => {
  server = await startServer({ home })
  const { items } = await owner().done<{ items: { id: Id }[] }>('GET /me/workspaces')
  datasetId = await aHubDataset(owner(), items[0]?.id ?? '')
  for (let start = 0; start < RECORDS; start += 500) {
    const records = Array.from({ length: 500 }, (_, index) => ({
      external_id: `r${start + index}`,
      fields: { text: 'some words '.repeat(400) },
    }))
    await owner().done(`POST /datasets/${datasetId}/records/bulk`, { items: records })
  }
})
afterAll(() => server?.close())

interface Stored {
  status: string
  file_id: Id
}

/** Reads the state of an export from the database, even if no server runs. */
async function loadStored(id: Id): Promise<Stored> {
  const text = 'select j.status, e.file_id from exports e join jobs j on j.id = e.id where e.id = ?'
  return (await runRows<Stored>(server, text, [id]))[0] as Stored
}

/** True if the first piece of the current attempt is stored. */
async function hasPiece(id: Id): Promise<boolean> {
  const { file_id, status } = await loadStored(id)
  if (status === 'finished') return true
  if (server.databaseUrl !== null)
    return (await runRows(server, 'select no from file_pieces where file_id = ?', [file_id])).length > 0
  return existsSync(join(home, 'files', file_id, '0'))
}

/** Kills the server while the export runs. Returns false if the export finished first. */
async function killDuring(id: Id, afterMs: number): Promise<boolean> {
  await vi.waitFor(async () => expect(await hasPiece(id)).toBe(true), { timeout: 300_000, interval: 2 })
  await setTimeout(afterMs)
  await server.kill()
  const { status } = await loadStored(id)
  server = await startServer({ home })
  return status !== 'finished'
}

async function checkFile(id: Id): Promise<void> {
  const load = () => owner().done<Export>(`GET /exports/${id}`)
  await vi.waitFor(async () => expect((await load()).status).toBe('finished'), { timeout: 600_000, interval: 50 })
  const { file } = await load()
  const answer = await fetch(`${server.url}/api/v1/exports/${id}/file`, { headers: { 'x-argilla-api-key': server.apiKey } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(bytes.length).toBe(file?.size)
  expect(linesOf(bytes).map(row => row.id)).toEqual(Array.from({ length: RECORDS }, (_, index) => `r${index}`))
  // Only one file is referenced; files of other attempts are deleted in the background.
  expect(await runRows(server, 'select id from files where job_id = ?', [id])).toHaveLength(1)
}

test('an export starts over after each kill, and its file is right', async () => {
  const random = openRandom(17)
  let kills = 0
  for (let no = 0; no < EXPORTS_MAX && kills < KILLS; no++) {
    const { id } = await owner().done<Export>(`POST /datasets/${datasetId}/exports`, { format: 'jsonl' })
    // Two kills in a row: the second attempt is killed too.
    if (await killDuring(id, random() * 50)) {
      kills++
      if (await killDuring(id, random() * 50)) kills++
    }
    await checkFile(id)
  }
  expect(kills).toBeGreaterThanOrEqual(KILLS)
})
