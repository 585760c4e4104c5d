import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { putVectors } from '../../../features/vectors/store.ts'
import { openClock } from '../../../lib/clock.ts'
import { migrate } from '../../../storage/migrate.ts'
import { openSqlite, type SqliteHandle } from '../../../storage/sqlite.ts'
import { similarity, toQueryVector } from './cosine.ts'
import { createVectorIndex, type NearestRequest, type VectorIndex } from './vector-index.ts'

let home: string
/** The writing connection. The index reads the file only through `reader`, a separate connection. */
let writer: SqliteHandle
let reader: SqliteHandle

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const open = (readonly: boolean) =>
    openSqlite({ path: join(home, 'test.db'), readonly, synchronous: 'normal', busyTimeoutMs: 1000, cacheMb: 8 })
  writer = open(false)
  await migrate(writer, 'head', openClock())
  reader = open(true)
})

afterEach(async () => {
  await reader.close()
  await writer.close()
  rmSync(home, { recursive: true, force: true })
})

function addSettings(no: number, dimensions: number): void {
  // The vectors have no dataset, which is not needed here.
  writer.raw.pragma('foreign_keys = off')
  const text =
    "insert into vectors_settings (no, id, dataset_id, name, title, dimensions, inserted_at, updated_at) values (?, ?, 'd', ?, '', ?, '', '')"
  writer.raw.prepare(text).run(no, `s${no}`, `s${no}`, dimensions)
  writer.raw.pragma('foreign_keys = on')
}

function put(settingsNo: number, vectors: Map<number, readonly number[]>): Promise<void> {
  const text = `insert or ignore into records (no, id, dataset_no, status, shuffle, inserted_at, updated_at)
    values (?, ?, 1, 'pending', 0, '', '')`
  return writer.transaction(async tx => {
    await tx.sql.runEach(
      text,
      [...vectors.keys()].map(no => [no, `r${no}`]),
    )
    const rows = [...vectors].map(([record_no, value]) => ({ record_no, vectors_settings_no: settingsNo, value }))
    await putVectors(tx, rows, { replace: true })
  })
}

function removeRecords(recordNos: readonly number[]): Promise<void> {
  return writer.transaction(tx =>
    tx.sql.runEach(
      'delete from records where no = ?',
      recordNos.map(no => [no]),
    ),
  )
}

const plain: Omit<NearestRequest, 'vector' | 'dimensions'> = {
  settingsNo: 1,
  order: 'most_similar',
  k: 10,
  excludeRecordNo: null,
  only: null,
  keep: null,
}

const ask = (index: VectorIndex, request: Question) =>
  reader.snapshot(db => index.nearest(db, { ...plain, dimensions: request.vector.length, ...request }))

/** Computes the expected result from every stored vector. */
async function evaluate(request: Question) {
  const { settingsNo, order, k, excludeRecordNo, only, keep } = { ...plain, ...request }
  const text = 'select record_no, value from vectors where vectors_settings_no = ? order by record_no'
  const stored = await writer.sql.all<{ record_no: number; value: Uint8Array }>(text, [settingsNo])
  const kept = keep ? await keep(stored.map(row => row.record_no)) : null
  const isCandidate = (no: number) => no !== excludeRecordNo && (only?.includes(no) ?? true) && (kept?.has(no) ?? true)
  const query = toQueryVector(request.vector, order)
  return stored
    .filter(row => isCandidate(row.record_no))
    .map(row => ({ recordNo: row.record_no, score: similarity(query, row.value) }))
    .sort((a, b) => b.score - a.score || a.recordNo - b.recordNo)
    .slice(0, k)
}

async function expectExact(index: VectorIndex, request: Question) {
  expect(await ask(index, request)).toEqual(await evaluate(request))
}

const keepEvery = (step: number) => async (recordNos: readonly number[]) => new Set(recordNos.filter(no => no % step === 0))

/** Pseudo-random, but deterministic. */
function vectorOf(dimensions: number, seed: number): number[] {
  return Array.from({ length: dimensions }, (_, index) => ((Math.sin(seed * 12.9898 + index * 78.233) * 43_758.5453) % 1) - 0.1)
}

const manyVectors = (count: number, dimensions: number, from = 1) =>
  new Map(Array.from({ length: count }, (_, index) => [from + index, vectorOf(dimensions, from + index)]))

type Question = Partial<NearestRequest> & { vector: readonly number[] }
type Story = ({ put: [number, number[]][] } | { remove: number[] } | { question: Question })[]

describe('whatever is written, replaced and deleted between the questions', () => {
  const RECORDS = 12
  // Record numbers near the maximum.
  const recordNo = fc.integer({ min: 0, max: RECORDS - 1 }).map(index => Number.MAX_SAFE_INTEGER - index * 7)
  // A few distinct numbers cause zeros, duplicates and ties; the others cause near ties.
  const number = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -1, max: 1 }) },
    { weight: 1, arbitrary: fc.double({ min: -2, max: 2, noNaN: true }) },
  )
  const steps = (dimensions: number): fc.Arbitrary<Story> => {
    const vector = fc.array(number, { minLength: dimensions, maxLength: dimensions })
    const question = fc.record({
      vector,
      order: fc.constantFrom('most_similar' as const, 'least_similar' as const),
      k: fc.integer({ min: 0, max: RECORDS + 2 }),
      excludeRecordNo: fc.option(recordNo),
      only: fc.option(fc.array(recordNo)),
      keep: fc.option(fc.integer({ min: 1, max: 4 }).map(keepEvery)),
    })
    return fc.array(
      fc.oneof(
        fc.record({ put: fc.array(fc.tuple(recordNo, vector), { maxLength: 6 }) }),
        fc.record({ remove: fc.array(recordNo, { maxLength: 5 }) }),
        fc.record({ question }),
      ),
      { minLength: 3, maxLength: 25 },
    )
  }

  test.each([2, 35])('the answer is that of a full evaluation (%i dimensions)', async dimensions => {
    let settingsNo = 0
    const play = async (story: Story) => {
      settingsNo++
      addSettings(settingsNo, dimensions)
      // Four vectors per block, so that several blocks are used.
      const index = createVectorIndex({ bytesMax: 1, blockBytesMax: 1 })
      for (const step of story) {
        if ('put' in step) await put(settingsNo, new Map(step.put))
        if ('remove' in step) await removeRecords(step.remove)
        if ('question' in step) await expectExact(index, { settingsNo, ...step.question })
      }
    }
    await fc.assert(fc.asyncProperty(steps(dimensions), play), { numRuns: 150 })
  })
})

describe('with many vectors', () => {
  beforeEach(async () => {
    addSettings(1, 8)
    await put(1, manyVectors(5000, 8))
  })

  test('finds the nearest in both orders, filtered and not', async () => {
    const index = createVectorIndex()
    const only = Array.from({ length: 700 }, (_, place) => place * 11)
    for (const order of ['most_similar', 'least_similar'] as const) {
      const vector = vectorOf(8, 0.5)
      await expectExact(index, { vector, order, k: 50 })
      await expectExact(index, { vector, order, k: 10_000 })
      await expectExact(index, { vector, order, k: 20, keep: keepEvery(2) })
      await expectExact(index, { vector, order, k: 20, keep: keepEvery(500) })
      await expectExact(index, { vector, order, k: 20, keep: async () => new Set() })
      await expectExact(index, { vector, order, k: 20, only, excludeRecordNo: 11 })
      await expectExact(index, { vector, order, k: 20, only, keep: keepEvery(3) })
    }
  })

  test('asks a filter for at most 1,024 records at once, and for no more batches than it needs', async () => {
    const asked: number[] = []
    const keep = async (recordNos: readonly number[]) => {
      asked.push(recordNos.length)
      return new Set(recordNos)
    }
    const index = createVectorIndex()
    await ask(index, { vector: vectorOf(8, 0.5), k: 10, keep })
    expect(asked).toHaveLength(1)
    await ask(index, { vector: vectorOf(8, 0.5), k: 4000, keep })
    expect(Math.max(...asked)).toBeLessThanOrEqual(1024)
  })

  test('stays exact when most were deleted or replaced by another connection', async () => {
    const index = createVectorIndex()
    const vector = vectorOf(8, 0.5)
    await expectExact(index, { vector, k: 50 })
    const nearest = await ask(index, { vector, k: 3000 })
    await removeRecords(nearest.map(hit => hit.recordNo))
    await expectExact(index, { vector, k: 50 })
    for (const seed of [1.5, 2.5, 3.5]) {
      await expectExact(index, { vector: vectorOf(8, seed), k: 5 })
      await expectExact(index, { vector: vectorOf(8, seed), k: 5, order: 'least_similar' })
    }
    await put(1, manyVectors(1500, 8, 10_000))
    await put(1, new Map([...manyVectors(600, 8, 1)].map(([no]) => [no, vectorOf(8, no + 0.25)])))
    await expectExact(index, { vector, k: 50, keep: keepEvery(3) })
    await expectExact(index, { vector, k: 5000, order: 'least_similar' })
  })

  test('answers questions asked at the same time each for itself', async () => {
    const index = createVectorIndex()
    const vectors = [1.5, 2.5, 3.5, 4.5].map(seed => vectorOf(8, seed))
    const answers = await reader.snapshot(db =>
      Promise.all(vectors.map(vector => index.nearest(db, { ...plain, dimensions: 8, vector, keep: keepEvery(2) }))),
    )
    expect(answers).toEqual(await Promise.all(vectors.map(vector => evaluate({ vector, keep: keepEvery(2) }))))
  })

  test('goes on after a filter that failed', async () => {
    const index = createVectorIndex()
    const keep = () => Promise.reject(new Error('no filter'))
    await expect(ask(index, { vector: vectorOf(8, 1), keep })).rejects.toThrow('no filter')
    await expectExact(index, { vector: vectorOf(8, 1) })
  })
})

test('a snapshot does not see what is written while it lasts', async () => {
  addSettings(1, 8)
  await put(1, manyVectors(10, 8))
  const index = createVectorIndex()
  const request = { ...plain, dimensions: 8, vector: vectorOf(8, 11) }
  const before = await evaluate(request)
  await reader.snapshot(async db => {
    expect(await index.nearest(db, request)).toEqual(before)
    await put(1, manyVectors(3, 8, 11))
    await removeRecords([before[0]?.recordNo ?? 0])
    expect(await index.nearest(db, request)).toEqual(before)
  })
  await expectExact(index, { vector: vectorOf(8, 11) })
})

test('vectors nearer to each other than the scan can tell are told apart', async () => {
  addSettings(1, 32)
  const common = vectorOf(32, 0.5)
  const vector = vectorOf(32, 1.5)
  // Most cosines differ by less than 1e-6, while the scan has rounding errors of up to 1.7e-4.
  const nearby = (no: number) => vectorOf(32, no).map((number, index) => number * 5e-4 + (common[index] ?? 0))
  await put(1, new Map(Array.from({ length: 2000 }, (_, place) => [place + 1, nearby(place + 1)])))
  const index = createVectorIndex()
  const all = await evaluate({ vector, k: 2000 })
  for (let k = 1; k < 2000; k += 23) expect(await ask(index, { vector, k })).toEqual(all.slice(0, k))
})

test('equal vectors come in the order of their records', async () => {
  addSettings(1, 3)
  await put(1, new Map(Array.from({ length: 3000 }, (_, place) => [3000 - place, [1, 2, 3]])))
  const found = await ask(createVectorIndex(), { vector: [1, 2, 2], k: 5 })
  expect(found.map(hit => hit.recordNo)).toEqual([1, 2, 3, 4, 5])
})

test.each([
  { bytesMax: 1, blockBytesMax: 2 ** 20 },
  { bytesMax: 2 ** 30, blockBytesMax: 2 ** 20 },
])('spaces of several settings do not mix, and those of deleted settings do no harm', async limits => {
  addSettings(1, 8)
  addSettings(2, 40)
  await put(1, manyVectors(30, 8))
  await put(2, manyVectors(20, 40))
  // Limits with so little memory that only the current space is cached, and with plenty.
  const index = createVectorIndex(limits)
  await expectExact(index, { vector: vectorOf(8, 5) })
  await expectExact(index, { settingsNo: 2, vector: vectorOf(40, 5) })
  await expectExact(index, { vector: vectorOf(8, 6) })
  await writer.sql.run('delete from vectors_settings where no = 1')
  addSettings(3, 8)
  await expectExact(index, { settingsNo: 3, vector: vectorOf(8, 5) })
  await expectExact(index, { settingsNo: 1, vector: vectorOf(8, 5) })
  await expectExact(index, { settingsNo: 2, vector: vectorOf(40, 5) })
})

test('at the same change number vectors are not looked for again, unless one is gone', async () => {
  addSettings(1, 2)
  await put(1, new Map([1, 2, 3].map(no => [no, vectorOf(2, no)])))
  const index = createVectorIndex()
  const question = { vector: [1, 0.5] }
  const recordsAt = async (changeNo: number) =>
    (await ask(index, { ...question, changeNo })).map(({ recordNo }) => recordNo).sort()
  expect([index.isAt(1, 7), await recordsAt(7), index.isAt(1, 7), index.isAt(1, 8)]).toEqual([false, [1, 2, 3], true, false])
  await put(1, new Map([[4, vectorOf(2, 4)]]))
  expect([await recordsAt(7), index.isAt(1, 7)]).toEqual([[1, 2, 3], true])
  expect([await recordsAt(8), index.isAt(1, 8)]).toEqual([[1, 2, 3, 4], true])
  await put(1, new Map([[2, vectorOf(2, 9)]]))
  // The replaced vector is gone, and the new one is not loaded yet.
  expect([await recordsAt(8), index.isAt(1, 8)]).toEqual([[1, 3, 4], false])
  await expectExact(index, { ...question, changeNo: 9 })
})
