/**
 * Hub jobs have their effect exactly once, even if the server is killed while they run. In the end every row of an import is one
 * record, created once, and an export is one commit.
 */
import { setTimeout } from 'node:timers/promises'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { caller } from '../contract/http.ts'
import { aHubDataset, readParquet, TOKEN, toParquet } from '../contract/hub-world.ts'
import { runRows } from '../databases/rows.ts'
import { type LoopbackHub, openHub } from '../hub/server.ts'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkCopy, readNumber } from './check-folder.ts'
import { copyAtTimes } from './moments.ts'

const ROWS = 4_000
const KILLS_MAX = 2
const COPIES_PER_KILL = 3

const newFolder = openFolders()
const home = newFolder()
const copyTo = newFolder()
let hub: LoopbackHub
let server: StartedServer
let datasetId: Id
beforeAll(async () => {
  hub = await openHub()
  await restart()
  const { items } = await owner().done<{ items: { id: Id }[] }>('GET /me/workspaces')
  datasetId = await aHubDataset(owner(), items[0]?.id ?? '')
})
afterAll(async () => {
  await server?.close()
  await hub?.close()
})

const owner = () => caller(server.url, server.apiKey)

async function restart(): Promise<void> {
  server = await startServer({ home, env: { SERVICE_HUB_URL: hub.url } })
}

async function killAndRestart(): Promise<void> {
  await server.kill()
  await restart()
}

const statusOf = async (id: Id) => (await owner().done<{ status: string }>(`GET /jobs/${id}`)).status
const untilFinished = (id: Id) =>
  vi.waitFor(async () => expect(await statusOf(id)).toBe('finished'), { timeout: 600_000, interval: 50 })

/** Returns a number from the database. */
const count = async (text: string) => Number((await runRows<{ size: number }>(server, text))[0]?.size)

test('an import goes on where it was', async () => {
  const data = Array.from({ length: ROWS }, (_, row) => `text ${row}`)
  hub.put('team/data', { 'data/train-0.parquet': toParquet({ columnData: [{ name: 'col', data, type: 'STRING' }] }) })
  const mapping = { fields: [{ source: 'col', target: 'text' }] }
  const body = { name: 'team/data', subset: 'default', split: 'train', mapping }
  const { id } = await owner().done<{ id: Id }>(`POST /datasets/${datasetId}/import`, body)
  const records = () => count('select count(*) as size from records')
  const sizes: number[] = []
  const random = openRandom(11)
  const checkBatches = async (copy: string) => {
    await checkCopy(copy)
    sizes.push(readNumber(copy, 'select count(*) from records'))
  }
  for (let no = 1; no <= KILLS_MAX; no++) {
    // Waits until something is stored since the last kill.
    const before = await records()
    await vi.waitFor(async () => expect(await records()).toBeGreaterThanOrEqual(Math.min(ROWS, before + 100)), {
      timeout: 300_000,
    })
    // On PostgreSQL, the folder does not contain the records.
    if (server.databaseUrl === null)
      await copyAtTimes(server, { random, count: COPIES_PER_KILL, msMax: 50, to: copyTo }, checkBatches)
    await setTimeout(random() * 50)
    if ((await statusOf(id)) === 'finished') break
    await killAndRestart()
    sizes.push(await records())
  }
  await untilFinished(id)
  expect(await records()).toBe(ROWS)
  expect(await count('select count(distinct external_id) as size from records')).toBe(ROWS)
  expect(await count("select count(*) as size from changes where event = 'record.updated'")).toBe(0)
  expect(await count('select records_count as size from dataset_heads')).toBe(ROWS)
  // Batches are stored completely, and some moments came in the middle of the import.
  expect(sizes.every(size => size % 100 === 0)).toBe(true)
  expect(sizes.some(size => size > 0 && size < ROWS)).toBe(true)
})

test('an export is one commit, also if the server dies while it is made', async () => {
  const held = { upload: Promise.withResolvers<void>(), commit: Promise.withResolvers<void>() }
  const { id } = await (async () => {
    hub.fail({ path: /\/commit\//, method: 'POST', until: held.commit.promise })
    hub.fail({ path: /./, method: 'PUT', until: held.upload.promise })
    return owner().done<{ id: Id }>(`POST /datasets/${datasetId}/export`, { name: 'team/out', token: TOKEN })
  })()
  const isAsked = (method: string, path: RegExp) =>
    vi.waitFor(() => expect(hub.requests.some(request => request.method === method && path.test(request.path))).toBe(true), {
      timeout: 120_000,
    })
  await isAsked('PUT', /./)
  await killAndRestart()
  await isAsked('POST', /team\/out\/commit\//)
  await server.kill()
  // The hub creates the commit, but its response is lost.
  held.upload.resolve()
  held.commit.resolve()
  await vi.waitFor(() => expect(hub.commits('team/out')).toHaveLength(2))
  await restart()
  await untilFinished(id)
  expect(hub.commits('team/out')).toHaveLength(2)
  const paths = Object.keys(hub.files('team/out')).filter(path => path.endsWith('.parquet'))
  expect(paths).toEqual(['data/train-00000-of-00001.parquet'])
  const { rows } = await readParquet(hub.files('team/out')[paths[0] ?? ''] as Buffer)
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: ROWS }, (_, row) => `train_${row}`))
})
