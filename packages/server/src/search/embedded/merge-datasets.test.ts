import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceSegments } from '../../storage/text-segments.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { createMerges, type Merges, type TextMerge } from './merge-datasets.ts'
import { StoredTexts } from './testing/stored-texts.ts'

let ctx: TestContext
let merges: Merges
let nextNo: number
beforeEach(async () => {
  ctx = await openTestContext()
  merges = createMerges(ctx.db, async () => {})
  nextNo = 1
})
afterEach(() => ctx.close())

async function store(texts: StoredTexts, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await texts.put([{ recordNo: nextNo++, pieces: [['text']] }])
}
async function open(count: number): Promise<StoredTexts> {
  const texts = await StoredTexts.open(ctx)
  await store(texts, count)
  return texts
}
const replace = ({ datasetId, replacement }: TextMerge) => replaceSegments(ctx.db, datasetId, replacement)

/** Merges and stores until there is nothing left to merge. Returns the ids of the merged datasets. */
async function mergeAll(): Promise<string[]> {
  const datasetIds: string[] = []
  for (let merge = await merges.next(); merge !== null; merge = await merges.next()) {
    datasetIds.push(merge.datasetId)
    expect(await replace(merge)).toBe(true)
  }
  return datasetIds
}

test('datasets take turns until nothing is left to merge', async () => {
  const [few, many, other] = [await open(5), await open(64 * 9), await open(10)]
  const order = await mergeAll()
  expect(order.slice(0, 3).filter(id => id === other.datasetId)).toHaveLength(1)
  expect(order.filter(id => id === many.datasetId).length).toBeGreaterThanOrEqual(9)
  expect(order).not.toContain(few.datasetId)
  expect((await few.segmentNos()).length).toBe(5)
  for (const texts of [many, other]) expect((await texts.segmentNos()).length).toBeLessThan(8)
})

test('a merge that was not stored is done again', async () => {
  await open(8)
  const first = await merges.next()
  expect(first).not.toBeNull()
  expect(await merges.next()).toEqual(first)
})

test('a dataset is looked at again when it has changed', async () => {
  const texts = await open(5)
  expect(await merges.next()).toBeNull()
  await store(texts, 3)
  expect(await mergeAll()).toEqual([texts.datasetId])
})

test('a damaged segment fails once, until something changes, and other datasets are merged', async () => {
  const [damaged, whole] = [await open(8), await open(8)]
  await ctx.db.sql.run('update text_segments set bytes = ? where dataset_id = ? and segment_no = 4', [
    Uint8Array.of(1, 2, 3),
    damaged.datasetId,
  ])
  await expect(merges.next()).rejects.toThrow('Not a text segment')
  expect(await mergeAll()).toEqual([whole.datasetId])
  await store(damaged, 1)
  await expect(merges.next()).rejects.toThrow('Not a text segment')
  expect(await merges.next()).toBeNull()
})
