/**
 * A data folder of the first release: the first start migrates the schema and builds the text index before the server is ready.
 * It is copied at many points and killed at some, and the next start continues where it stopped.
 */
import { cpSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { openConnection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkFolder, expectIntact, readNumber, withDatabase } from './check-folder.ts'
import { copyFolder } from './moments.ts'
import { digestPreserved, makeOldFolder, type OldFolder, RECORDS, RESPONSES, readRevisions } from './old-folder.ts'
import { verifyCopy } from './open-copy.ts'
import { killStart, whilePaused } from './starts.ts'

const COPIES_MIN = 15
/** Number of kills during the migration of the schema, and during the build of the index. */
const KILLS = { migrating: 3, building: 2 }
const STARTS_MAX = 20

const newFolder = openFolders()
/** Never used directly: each test has a copy. */
const oldHome = newFolder()
let old: OldFolder
let kept: Record<string, string>

beforeAll(async () => {
  old = await makeOldFolder(oldHome)
  kept = digestPreserved(oldHome)
})

function copyOld(): string {
  const home = newFolder()
  cpSync(oldHome, home, { recursive: true })
  return home
}

interface State {
  revisions: string[]
  segments: number
  /** Number of records in segments. */
  indexed: number
}

/** Returns the progress of a start. */
const readState = (home: string): State =>
  withDatabase(home, database => {
    const isThere = database.prepare("select 1 from sqlite_master where name = 'text_segments'").get() !== undefined
    const text = 'select count(*) as segments, coalesce(sum(record_count), 0) as indexed from text_segments'
    const row = isThere ? database.prepare(text).get() : undefined
    return {
      revisions: readRevisions(database),
      segments: Number(row?.segments ?? 0),
      indexed: Number(row?.indexed ?? 0),
    }
  })

/** Number of transactions that built segments. The server merges segments afterwards, so there may be fewer segments. */
const countPieces = (home: string) => readNumber(home, "select count(*) from changes where event = 'dataset.indexed'")

async function expectSearchable(server: StartedServer): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  const find = async (q: string, filters = {}) => {
    const path = `/api/v1/datasets/${old.dataset.id}/records/search`
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
  connection.close()
}

/** Runs a start without a kill. */
async function finish(home: string): Promise<void> {
  const { indexed } = readState(home)
  const server = await startServer({ home })
  if (indexed < RECORDS)
    expect(server.output()).toMatch(new RegExp(`Building the text index of .+: 0 of ${RECORDS - indexed} records`))
  else expect(server.output()).not.toContain('Building the text index')
  await expectSearchable(server)
  // No record was indexed twice.
  expect(readState(home).indexed).toBe(RECORDS)
  expect(await server.close()).toBe(0)
  expect(digestPreserved(home)).toEqual(kept)
  checkFolder(home)
}

type Phase = 'migrating' | 'building' | 'done'

/** Each migration step and each part of the index is complete or absent, and nothing else has changed. */
async function expectPrefix(home: string): Promise<Phase> {
  expectIntact(home)
  expect(digestPreserved(home)).toEqual(kept)
  const state = readState(home)
  expect(state.revisions).toEqual(old.revisions.slice(0, state.revisions.length))
  const revision = state.revisions.at(-1)
  if (revision !== old.revisions.at(-1)) {
    await expect(verifyCopy(home)).rejects.toThrow(new RegExp(`^The database is at revision ${revision}`))
    return 'migrating'
  }
  const isComplete = state.indexed === RECORDS
  const first = readNumber(
    home,
    'select min(no) from records where no > (select coalesce(max(last_record_no), 0) from text_segments)',
  )
  const differences = isComplete ? [] : [`text of ${RECORDS - state.indexed} records is missing, first record number ${first}`]
  expect(await verifyCopy(home)).toEqual({ compared: RECORDS, differences })
  return isComplete ? 'done' : 'building'
}

test('is built by the first start, with progress, and not again by the next', async () => {
  const home = copyOld()
  await finish(home)
  const pieces = countPieces(home)
  expect(pieces).toBeGreaterThanOrEqual(4)
  await finish(home)
  expect(countPieces(home)).toBe(pieces)
})

test('is at every moment between two steps', async () => {
  const home = copyOld()
  const copy = newFolder()
  const copied = { migrating: 0, building: 0, done: 0 }
  let before = readState(home)
  // Whenever it has made progress, and when the server is ready.
  await killStart(home, async ({ isThrough }, pid) => {
    const state = readState(home)
    if (!isThrough && state.revisions.length === before.revisions.length && state.segments === before.segments) return false
    before = state
    await whilePaused(pid, async () => {
      await copyFolder(home, copy)
      copied[await expectPrefix(copy)]++
    })
    return isThrough
  })
  expect(copied.migrating + copied.building, JSON.stringify(copied)).toBeGreaterThanOrEqual(COPIES_MIN)
  expect(Math.min(copied.migrating, copied.building, copied.done), JSON.stringify(copied)).toBeGreaterThan(0)
})

test(`is completed after ${KILLS.migrating + KILLS.building} kills`, async () => {
  const random = openRandom(50)
  let home = copyOld()
  const killed = { migrating: 0, building: 0, done: 0 }
  const isEnough = () => killed.migrating >= KILLS.migrating && killed.building >= KILLS.building
  for (let start = 1; start <= STARTS_MAX && !isEnough(); start++) {
    const before = readState(home)
    const isIndexing = killed.migrating >= KILLS.migrating
    const afterMs = random() * 10
    let since = Number.POSITIVE_INFINITY
    // Some milliseconds after it made more progress than the previous start.
    await killStart(home, () => {
      const { revisions, segments } = readState(home)
      const isFurther = segments > before.segments || (!isIndexing && revisions.length > before.revisions.length)
      if (isFurther) since = Math.min(since, performance.now())
      return performance.now() - since >= afterMs
    })
    const phase = await expectPrefix(home)
    killed[phase]++
    if (phase !== 'done') continue
    await finish(home)
    home = copyOld()
  }
  await finish(home)
  expect(isEnough(), JSON.stringify(killed)).toBe(true)
})
