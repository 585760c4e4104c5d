/**
 * A client of the change feed catches up without missing or repeating entries: a reader is repeatedly killed while others write,
 * and ends up with exactly the entries of the log. Between kills its database is copied while it stands still: the next reader
 * would start with such a copy, so it must be complete up to the position that it names.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FeedEntry, FeedPage } from '@postil/domain/change-feed'
import type { Dataset } from '@postil/domain/datasets'
import type { RecordsBulk } from '@postil/domain/records'
import type { Workspace } from '@postil/domain/workspaces'
import { expect, test } from 'vitest'
import { unpackNumbers } from '../../packages/server/src/lib/packed-numbers.ts'
import { type Caller, caller } from '../contract/http.ts'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { whilePaused } from './starts.ts'

const KILLS = 20
const COPIES_PER_KILL = 4
/** A moment comes after the reader has stored up to this many responses, plus a random delay. */
const STORED_MAX = 4
const MS_MAX = 20
const WRITERS = 3
/** Pause between two writes of a writer, so that the reader sometimes catches up and waits. */
const PAUSE_MS_MAX = 20
const READER = fileURLToPath(new URL('./feed-reader.ts', import.meta.url))

const newFolder = openFolders()
const home = newFolder()
const file = join(home, 'reader.db')

async function createDataset(owner: Caller): Promise<string> {
  const [workspace] = (await owner.done<{ items: Workspace[] }>('GET /me/workspaces')).items
  const { id } = await owner.done<Dataset>('POST /datasets', { name: 'followed', workspace_id: workspace?.id })
  await owner.done(`POST /datasets/${id}/fields`, { name: 'text', title: 'Text', required: true, settings: { type: 'text' } })
  await owner.done(`POST /datasets/${id}/questions`, { name: 'note', title: 'Note', required: true, settings: { type: 'text' } })
  await owner.done(`PUT /datasets/${id}/publish`)
  return id
}

/** Adds records, responds, flags and deletes until it is stopped. */
async function keepWriting(owner: Caller, datasetId: string, seed: number, isOver: () => boolean): Promise<void> {
  const random = openRandom(seed)
  const path = `/datasets/${datasetId}/records`
  while (!isOver()) {
    const items = Array.from({ length: 1 + Math.floor(random() * 5) }, () => ({ fields: { text: 'hello' } }))
    const { items: created } = await owner.done<RecordsBulk>(`POST ${path}/bulk`, { items })
    for (const { id } of created) {
      await setTimeout(random() * PAUSE_MS_MAX)
      if (random() < 0.3) await owner.done(`PUT /me/records/${id}/flag`)
      else if (random() < 0.5) {
        await owner.done(`POST /records/${id}/responses`, { status: 'submitted', values: { note: { value: 'yes' } } })
      } else await owner.done(`DELETE /records/${id}`)
    }
  }
}

function startReader({ url, apiKey }: StartedServer, datasetId: string, last?: number) {
  const args = [READER, `${url}/api/v1/datasets/${datasetId}/events`, apiKey, file, ...(last === undefined ? [] : [String(last)])]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

interface Moment {
  stored: number
  afterMs: number
}

/** Copies the database of a reader at each moment but the last, at which it is killed. Returns what is stored at each. */
async function followAndKill(server: StartedServer, datasetId: string, moments: readonly Moment[]): Promise<FeedEntry[][]> {
  const child = startReader(server, datasetId)
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The reader ended with code ${code}`)))
  ended.catch(() => {})
  let lines = 0
  let onLine = () => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('\n').length - 1
    onLine()
  })
  const copied: FeedEntry[][] = []
  // The first line reports that the reader is running.
  let wanted = 1
  for (const { stored, afterMs } of moments) {
    wanted = Math.max(wanted, lines) + stored
    const reached = Promise.withResolvers<void>()
    onLine = () => lines >= wanted && reached.resolve()
    onLine()
    await Promise.race([reached.promise, ended])
    await Promise.race([setTimeout(afterMs), ended])
    if (copied.length === moments.length - 1) break
    const copy = newFolder()
    await whilePaused(child.pid ?? 0, async () => {
      for (const name of readdirSync(home).filter(name => name.startsWith('reader.db')))
        cpSync(join(home, name), join(copy, name))
    })
    copied.push(readStored(join(copy, 'reader.db')))
  }
  child.kill('SIGKILL')
  await expect(ended).rejects.toThrow('null')
  return [...copied, readStored(file)]
}

/** Returns the entries, which must be those up to the position from which a reader would continue. */
function readStored(file: string): FeedEntry[] {
  // Not read-only, so that an incomplete transaction is rolled back first.
  const db = new DatabaseSync(file)
  const rows = db.prepare('select body from entries order by position').all() as { body: string }[]
  const reached = db.prepare('select coalesce(max(change_no), 0) as reached from reached').get()
  db.close()
  const entries: FeedEntry[] = rows.map(({ body }) => JSON.parse(body))
  expect(entries.map(({ change_no }) => change_no)).toEqual(entries.map((_, index) => index + 1))
  expect(reached).toEqual({ reached: entries.length })
  return entries
}

/** Reads the log from the database, with the ids of records. */
function readLog(datasetId: string): Pick<FeedEntry, 'change_no' | 'event' | 'record_ids' | 'actor_id' | 'inserted_at'>[] {
  const db = new DatabaseSync(join(home, 'postil.db'), { readOnly: true })
  const records = db.prepare('select no, id from records union all select record_no, record_id from deleted_records').all()
  const ids = new Map(records.map(({ no, id }) => [Number(no), String(id)]))
  const rows = db.prepare('select * from changes where dataset_id = ? order by change_no').all(datasetId)
  db.close()
  return rows.map(({ change_no, event, record_nos, actor_id, inserted_at }) => ({
    change_no: Number(change_no),
    event: event as FeedEntry['event'],
    record_ids: record_nos === null ? [] : unpackNumbers(record_nos as Uint8Array).map(no => ids.get(no) ?? ''),
    actor_id: actor_id as string | null,
    inserted_at: String(inserted_at),
  }))
}

test(`a reader of the change feed that is killed ${KILLS} times and copied more often has every entry once, in order`, async () => {
  const server = await startServer({ home })
  const owner = caller(server.url, server.apiKey)
  const datasetId = await createDataset(owner)
  let isOver = false
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, no) => keepWriting(owner, datasetId, no, () => isOver)))
  const random = openRandom(8)
  /** Number of stored entries at each moment. */
  const reached: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const moments = Array.from({ length: COPIES_PER_KILL + 1 }, () => ({
      stored: Math.floor(random() * (STORED_MAX + 1)),
      afterMs: random() * MS_MAX,
    }))
    for (const entries of await followAndKill(server, datasetId, moments)) reached.push(entries.length)
  }
  isOver = true
  await writing
  // Most moments came between two responses.
  expect(new Set(reached).size).toBeGreaterThan(10)

  const { head } = await owner.done<FeedPage>(`GET /datasets/${datasetId}/events?limit=1`)
  const [code] = await once(startReader(server, datasetId, head), 'exit')
  expect(code).toBe(0)
  expect(await server.close()).toBe(0)
  const entries = readStored(file).map(({ change_no, event, record_ids, actor_id, inserted_at }) => ({
    change_no,
    event,
    record_ids,
    actor_id,
    inserted_at,
  }))
  expect(entries).toHaveLength(head)
  expect(entries).toEqual(readLog(datasetId))
  expect(new Set(entries.map(({ event }) => event))).toContain('record.deleted')
})
