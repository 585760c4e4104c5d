/** Concurrent requests and writes, while the engine reads through its own connections. SQLite runs them one by one. */
import type { SearchBody } from '@postil/domain/search/query'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteDataset } from '../../features/datasets/delete.ts'
import { toSearchedDataset } from '../../features/datasets/settings.ts'
import type { Database, Queryable } from '../../storage/database.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { addRecords, createTestDataset, readCorpus, toQuery } from '../corpus.contract.ts'
import type { SearchedDataset } from '../engine.ts'
import { contextOn, type FollowedDataset, loadWithSettings } from '../source/testing/dataset.ts'
import { createEmbeddedEngine } from './engine.ts'
import { countReads } from './testing/count-reads.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const withWord = (q: string): SearchBody => ({
  query: { text: { q } },
  sort: [{ scope: { entity: 'metadata', metadata_property: 'length' }, order: 'asc' }],
})

describe('searches while others write', () => {
  eachDatabase((db, openAnother) => {
    let own: Database
    let reads: ReturnType<typeof countReads>
    let followed: FollowedDataset
    beforeEach(async () => {
      own = openAnother()
      reads = countReads(own)
      const search = createEmbeddedEngine({ db: reads.db, bytesMax: 2 ** 30, waitMsMax: 10_000 })
      followed = await createTestDataset({ ...contextOn(opened, db()), search })
      await addRecords(followed, [{ fields: { reply: 'first' } }])
    })
    afterEach(() => own.close())

    async function atOnce<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
      if (db().dialect.name === 'postgres') return Promise.all(works.map(work => work()))
      const results: T[] = []
      for (const work of works) results.push(await work())
      return results
    }

    const loadSearched = async (queryable: Queryable): Promise<SearchedDataset> => {
      const { dataset, settings } = await loadWithSettings(queryable, followed.datasetId)
      return toSearchedDataset(dataset, settings)
    }

    /** Returns how many records contain a word, for a request that starts now. */
    const countWord = async (word: string) => {
      const query = toQuery(await readCorpus(followed), withWord(word))
      return db().snapshot(async queryable => (await followed.ctx.search.search(await loadSearched(queryable), query)).total)
    }

    test('find what was committed before them, and never read a column twice', async () => {
      await countWord('first')
      const blocks = reads.blocks()
      expect(blocks).toBeGreaterThan(0)
      // Three at a time, because each holds one of the four connections for requests.
      for (let round = 0; round < 8; round++) {
        const words = ['a', 'b', 'c'].map(name => `word${name}${round}`)
        const totals = await atOnce(
          words.map(word => async () => {
            await addRecords(followed, [{ fields: { reply: `${word} all${round}` } }])
            return countWord(word)
          }),
        )
        expect(totals).toEqual([1, 1, 1])
        expect(await countWord(`all${round}`)).toBe(3)
      }
      expect(reads.blocks()).toBe(blocks)
    })

    test('of requests with older snapshots use the index that newer ones have moved on', async () => {
      await countWord('first')
      const blocks = reads.blocks()
      const requester = openAnother()
      for (let i = 1; i <= 5; i++) {
        const query = toQuery(await readCorpus(followed), withWord('later'))
        const older = await requester.snapshot(async queryable => {
          const searched = await loadSearched(queryable)
          await addRecords(followed, [{ fields: { reply: `later ${i}` } }])
          expect(await countWord('later')).toBe(i)
          return followed.ctx.search.search(searched, query)
        })
        expect(older.total).toBeGreaterThanOrEqual(i - 1)
      }
      expect(reads.blocks()).toBe(blocks)
      await requester.close()
    })

    test('wait for a change that the database does not show yet', async () => {
      const corpus = await readCorpus(followed)
      const searched = { ...corpus.searched, changeNo: corpus.searched.changeNo + 1 }
      const found = followed.ctx.search.search(searched, toQuery(corpus, withWord('awaited')))
      await addRecords(followed, [{ fields: { reply: 'awaited' } }])
      expect((await found).total).toBe(1)
    })

    test('fail if the database does not show a change in time, and only they', async () => {
      const search = createEmbeddedEngine({ db: reads.db, bytesMax: 2 ** 30, waitMsMax: 40 })
      const corpus = await readCorpus(followed)
      const { searched } = corpus
      const query = toQuery(corpus, withWord('first'))
      const early = search.search({ ...searched, changeNo: searched.changeNo + 1 }, query)
      const [failed, found] = await Promise.allSettled([early, search.search(searched, query)])
      expect(failed).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', message: expect.stringContaining('latest changes') },
      })
      expect(found).toMatchObject({ status: 'fulfilled', value: { total: 1 } })
    })

    test('of a dataset that is deleted meanwhile answer as before, or that it does not exist if the index must be read', async () => {
      await countWord('first')
      const corpus = await readCorpus(followed)
      await deleteDataset(followed.owner, followed.datasetId)
      const query = toQuery(corpus, withWord('first'))
      expect(await followed.ctx.search.search(corpus.searched, query)).toMatchObject({ total: 1 })
      const empty = createEmbeddedEngine({ db: reads.db, bytesMax: 2 ** 30 })
      await expect(empty.search(corpus.searched, query)).rejects.toMatchObject({ code: 'not_found' })
    })
  })
})
