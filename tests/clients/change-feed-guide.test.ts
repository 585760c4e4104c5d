/** Runs the programs in docs/guide/change-feed.md unchanged: each keeps a copy of a dataset's records in sync. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aDataset, aRecord, type BuiltDataset, SMALL, submitted } from '../contract/datasets.ts'
import { openWorld, type World } from '../contract/http.ts'
import { openFolders } from '../postil.ts'

const GUIDE = readFileSync(fileURLToPath(new URL('../../docs/guide/change-feed.md', import.meta.url)), 'utf8')
const PROGRAMS = [
  { language: 'python', command: 'python3' },
  { language: 'ts', command: process.execPath },
]

const openFolder = openFolders()
const stops: (() => Promise<unknown>)[] = []
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(() => world?.close())

interface Copy {
  file: string
  start(): () => Promise<unknown>
  /** Returns the records of the copy by id. */
  read(): Map<string, Pick<DatasetRecord, 'status'>>
}

function openCopy({ language, command }: { language: string; command: string }, { id }: BuiltDataset): Copy {
  const folder = openFolder()
  const file = join(folder, 'copy.db')
  const program = join(folder, `copy.${language === 'ts' ? 'mts' : 'py'}`)
  writeFileSync(program, new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1] ?? '')
  const { url, apiKey } = world.server
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    POSTIL_URL: url,
    POSTIL_API_KEY: apiKey,
    DATASET_ID: id,
    COPY_FILE: file,
  }
  return {
    file,
    start: () => {
      const child = spawn(command, [program], { env, stdio: ['ignore', 'ignore', 'inherit'] })
      const exited = once(child, 'exit')
      const stop = async () => {
        child.kill('SIGKILL')
        await exited
      }
      stops.push(stop)
      return stop
    },
    read: () => {
      if (!existsSync(file)) return new Map()
      const db = new DatabaseSync(file)
      try {
        const rows = db.prepare('select id, body from records').all() as { id: string; body: string }[]
        return new Map(rows.map(({ id: recordId, body }) => [recordId, JSON.parse(body)]))
      } catch {
        // The program has not created its tables yet, or is writing to them.
        return new Map()
      } finally {
        db.close()
      }
    },
  }
}

test.each(PROGRAMS)('the $language program keeps its copy in step, also after it was away', async program => {
  const dataset = await aDataset(world, SMALL)
  const records = [await aRecord(world, dataset), await aRecord(world, dataset), await aRecord(world, dataset)]
  const [first, second, third] = records.map(({ id }) => id) as [string, string, string]
  const copy = openCopy(program, dataset)
  const statuses = () => [...copy.read()].map(([id, { status }]) => [id, status]).toSorted()

  const stop = copy.start()
  await expect.poll(statuses).toEqual([first, second, third].map(id => [id, 'pending']))
  await world.owner.done(`POST /records/${first}/responses`, submitted())
  await world.owner.done(`DELETE /records/${second}`)
  await expect.poll(statuses).toEqual([
    [first, 'completed'],
    [third, 'pending'],
  ])

  await stop()
  const { id: fourth } = await aRecord(world, dataset)
  await world.owner.done(`DELETE /records/${third}`)
  copy.start()
  await expect.poll(statuses).toEqual([
    [first, 'completed'],
    [fourth, 'pending'],
  ])
})

test.each(PROGRAMS)('the $language program reads everything again if the log is not the one it knows', async program => {
  const dataset = await aDataset(world, SMALL)
  const { id } = await aRecord(world, dataset)
  const copy = openCopy(program, dataset)
  const stop = copy.start()
  await expect.poll(() => [...copy.read().keys()]).toEqual([id])
  await stop()
  // As after a restore: the program's position is beyond the end of the log.
  const db = new DatabaseSync(copy.file)
  db.exec("update place set after = 1000; insert into records values ('gone', '{}')")
  db.close()
  copy.start()
  await expect.poll(() => [...copy.read().keys()]).toEqual([id])
})
