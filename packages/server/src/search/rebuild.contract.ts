/** Contract tests for whole indexes: rebuild, compare with the records, and remove. */
import { expect, test } from 'vitest'
import { deleteDataset } from '../features/datasets/delete.ts'
import { reindexDataset } from '../features/datasets/reindex.ts'
import { loadDataset } from '../features/datasets/store.ts'
import { verifyDataset } from '../features/datasets/verify.ts'
import { updateRecord } from '../features/records/update.ts'
import type { TestContext } from '../testing/context.ts'
import { compare, PICTURE, readCorpus, toQuery } from './corpus.contract.ts'
import { createSeededCorpus } from './seeds.contract.ts'

const WORDS = { query: { text: { q: 'green | plum' } } }
const PIECES_MAX = 100

export function rebuildContract(open: () => TestContext): void {
  test('an index that is built anew equals the records, and answers as before', async () => {
    const { followed, documents } = await createSeededCorpus(open())
    const { ctx, owner, datasetId } = followed
    await updateRecord(owner, documents[0]?.id ?? '', { fields: { picture: PICTURE, prompt: { texts: ['plum'] } } })
    const stored = await loadDataset(ctx.db, datasetId)
    const steps: number[] = []
    expect(await reindexDataset(ctx, stored, done => void steps.push(done))).toBe(documents.length)
    expect(steps.at(-1)).toBe(documents.length)
    expect(await verifyDataset(ctx, stored, () => undefined)).toEqual({ records: documents.length, differences: [] })
    const corpus = await readCorpus(followed)
    const { found, expected } = await compare(corpus, toQuery(corpus, WORDS))
    expect(found.total).toBe(4)
    expect(found).toMatchObject({ total: expected.total, ids: expect.arrayContaining(expected.ids) })
  })

  test('the index of a deleted dataset is removed, and no other', async () => {
    const ctx = open()
    const [gone, kept] = [await createSeededCorpus(ctx), await createSeededCorpus(ctx)]
    await deleteDataset(gone.followed.owner, gone.followed.datasetId)
    let pieces = 1
    while (pieces < PIECES_MAX && !(await ctx.search.drop(ctx.db, gone.followed.datasetId))) pieces++
    expect(pieces).toBeLessThan(PIECES_MAX)
    const { found, expected } = await compare(kept, toQuery(kept, WORDS))
    expect(found).toMatchObject({ total: expected.total, ids: expect.arrayContaining(expected.ids) })
    const dataset = await loadDataset(ctx.db, kept.followed.datasetId)
    expect((await verifyDataset(ctx, dataset, () => undefined)).differences).toEqual([])
  })
}
