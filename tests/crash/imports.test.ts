/**
 * A file import has its effect exactly once, even if the server is repeatedly killed: every row is one record, created once, or
 * one rejected row.
 */
import { setTimeout } from 'node:timers/promises'
import type { Import } from '@postil/domain/imports'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { caller } from '../contract/http.ts'
import { aHubDataset } from '../contract/hub-world.ts'
import { TEXT_MAPPING, upload } from '../contract/import-world.ts'
import { runRows } from '../databases/rows.ts'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkCopy } from './check-folder.ts'
import { copyAtTimes } from './moments.ts'

const ROWS = 4_000
/** Every 20th row has no text. */
const REJECTED_EACH = 20
const KILLS_MAX = 2
const COPIES_PER_KILL = 2

const newFolder = openFolders()
const home = newFolder()
const copyTo = newFolder()
let server: StartedServer
let datasetId: Id
beforeAll(async () => {
  server = await startServer({ home })
  const { items } = await owner().done<{ items: { id: Id }[] }>('GET /me/workspaces')
  datasetId = await aHubDataset(owner(), items[0]?.id ?? '')
})
afterAll(() => server?.close())

const owner = () => caller(server.url, server.apiKey)
const get = (id: Id) => owner().done<Import>(`GET /imports/${id}`)
const count = async (text: string) => Number((await runRows<{ size: number }>(server, text))[0]?.size)
const records = () => count('select count(*) as size from records')

test('an import of a file goes on where it was', async () => {
  const isRejected = (row: number) => row % REJECTED_EACH === 0
  const lines = Array.from({ length: ROWS }, (_, index) => `${index + 1},${isRejected(index + 1) ? '' : `text ${index + 1}`}`)
  const upload_id = await upload(owner(), 'rows.csv', `n,text\n${lines.join('\n')}\n`)
  const { id } = await owner().done<Import>(`POST /datasets/${datasetId}/imports`, { upload_id, mapping: TEXT_MAPPING })
  const rejected = ROWS / REJECTED_EACH
  const stored = ROWS - rejected
  const kills: number[] = []
  const random = openRandom(5)
  for (let no = 1; no <= KILLS_MAX; no++) {
    // Waits until something is stored since the last kill.
    const before = await records()
    await vi.waitFor(async () => expect(await records()).toBeGreaterThan(Math.min(before, stored - 1)), { timeout: 300_000 })
    // On PostgreSQL, the folder does not contain the records.
    if (server.databaseUrl === null)
      await copyAtTimes(server, { random, count: COPIES_PER_KILL, msMax: 50, to: copyTo }, checkCopy)
    await setTimeout(random() * 50)
    if ((await get(id)).status === 'finished') break
    await server.kill()
    server = await startServer({ home })
    kills.push(await records())
  }
  await vi.waitFor(async () => expect((await get(id)).status).toBe('finished'), { timeout: 300_000, interval: 50 })

  expect((await get(id)).rows).toEqual({ read: ROWS, created: stored, updated: 0, skipped: 0, rejected })
  expect(await records()).toBe(stored)
  expect(await count('select count(distinct external_id) as size from records')).toBe(stored)
  expect(await count("select count(*) as size from changes where event = 'record.updated'")).toBe(0)
  const { text } = await owner().send(`GET /imports/${id}/rejects`)
  const named = text.split('\r\n').slice(1, -1)
  expect(named.map(line => Number(line.split(',')[0]))).toEqual(
    Array.from({ length: rejected }, (_, index) => (index + 1) * REJECTED_EACH),
  )
  // Some kills came in the middle of the import.
  expect(kills.some(size => size > 0 && size < stored)).toBe(true)
})
