/** Tests of indexes that were idle, evicted or interrupted by a failed read. Results must equal those of the naive search. */
import type { SearchBody } from '@postil/domain/search/query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { mergeStored } from '../../features/datasets/testing/segments.ts'
import { deleteRecords } from '../../features/records/delete.ts'
import { updateRecord } from '../../features/records/update.ts'
import { createDeadline } from '../../lib/deadline.ts'
import { openSqlite } from '../../storage/sqlite.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { addRecords, compare, createTestDataset, readCorpus, toQuery } from '../corpus.contract.ts'
import type { SearchEngine } from '../engine.ts'
import type { FollowedDataset } from '../source/testing/dataset.ts'
import { createEmbeddedEngine } from './engine.ts'
import { countReads } from './testing/count-reads.ts'

const byLength: SearchBody['sort'] = [{ scope: { entity: 'metadata', metadata_property: 'length' }, order: 'desc' }]
const BODIES: SearchBody[] = [{ query: { text: { q: 'green | pear' } }, sort: byLength }, { sort: byLength }]

let ctx: TestContext
let followed: FollowedDataset
const item = (i: number) => ({ fields: { reply: `green apple ${i}` }, metadata: { length: i } })

async function open(bytesMax: number): Promise<void> {
  const opened = await openTestContext()
  ctx = { ...opened, search: createEmbeddedEngine({ db: opened.db, bytesMax }) }
  followed = await createTestDataset(ctx)
  for (let i = 0; i < 4; i++) await addRecords(followed, [item(i), item(i + 10)])
}
afterEach(() => ctx.close())

async function check(): Promise<void> {
  const corpus = await readCorpus(followed)
  for (const body of BODIES) {
    const { found, expected } = await compare(corpus, toQuery(corpus, body))
    expect(found).toMatchObject(expected)
    expect(found.total).toBeGreaterThan(0)
  }
}

const change = async () => {
  const ids = await ctx.db.sql.column<string>(
    'select id from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
    [followed.datasetId],
  )
  await updateRecord(followed.owner, ids[1] ?? '', { fields: { picture: 'https://example.com/a.png', reply: 'yellow pear' } })
  await deleteRecords(followed.owner, followed.datasetId, ids[2] ?? '')
  await addRecords(followed, [item(5)])
}

describe('an index in memory', () => {
  beforeEach(() => open(2 ** 30))

  test('follows what was written since', async () => {
    await check()
    await change()
    await check()
  })

  test('is loaded to its end, however long that takes', async () => {
    // Simulates a duration of one second per statement, out of ten.
    let statements = 0
    const deadline = createDeadline(10_000, () => 1_000 * statements)
    const beforeStatement = () => {
      statements++
      deadline.check()
    }
    const options = { readonly: true, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1, beforeStatement } as const
    const reader = openSqlite({ path: ctx.config.databaseFile, ...options })
    const corpus = await readCorpus(followed)
    const ask = (engine: SearchEngine) => {
      deadline.start()
      return engine.search(corpus.searched, toQuery(corpus, BODIES[0] ?? {}))
    }
    const counted = createEmbeddedEngine({ db: reader, bytesMax: 2 ** 30 })
    await expect(ask(counted)).rejects.toThrow('longer than 10 seconds')
    const loading = createEmbeddedEngine({ db: reader, bytesMax: 2 ** 30, onLoad: deadline.start })
    expect((await ask(loading)).total).toBe(8)
    await reader.close()
  })

  test('begins anew if the entries that it needs were pruned', async () => {
    await check()
    await change()
    await ctx.db.sql.run('delete from changes where dataset_id = ?', [followed.datasetId])
    await check()
  })

  test('begins anew if the database was restored from before', async () => {
    await check()
    const { datasetId } = followed
    await ctx.db.sql.run(
      'delete from records where no = (select max(no) from records where dataset_no = (select no from dataset_heads where dataset_id = ?))',
      [datasetId],
    )
    await ctx.db.sql.run('update dataset_heads set change_no = change_no - 1 where dataset_id = ?', [datasetId])
    await check()
  })

  test('takes over segments that were merged meanwhile, with and without writes', async () => {
    await check()
    await mergeStored(ctx.db, followed.datasetId, 0, 3)
    await check()
    await change()
    await mergeStored(ctx.db, followed.datasetId, 1, 4)
    await check()
  })

  test('asks the database for nothing when words are searched again and nothing has changed', async () => {
    let statements = 0
    const beforeStatement = () => void statements++
    const options = { readonly: true, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1, beforeStatement } as const
    const reader = openSqlite({ path: ctx.config.databaseFile, ...options })
    const search = createEmbeddedEngine({ db: reader, bytesMax: 2 ** 30 })
    const statementsOf = async () => {
      const corpus = await readCorpus(followed)
      statements = 0
      await search.search(corpus.searched, toQuery(corpus, { query: { text: { q: 'word' } } }))
      return statements
    }
    expect(await statementsOf()).toBeGreaterThan(0)
    expect(await statementsOf()).toBe(0)
    await change()
    expect(await statementsOf()).toBeGreaterThan(0)
    await reader.close()
  })

  test('is right after a read that failed, at whichever statement', async () => {
    let left = Number.POSITIVE_INFINITY
    const beforeStatement = () => {
      if (left-- <= 0) throw new Error('too late')
    }
    const options = { readonly: true, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1, beforeStatement } as const
    const reader = openSqlite({ path: ctx.config.databaseFile, ...options })
    const search = createEmbeddedEngine({ db: reader, bytesMax: 2 ** 30 })
    followed = { ...followed, ctx: { ...ctx, search } }
    let failures = 0
    for (let statements = 0; ; statements++) {
      await change()
      const corpus = await readCorpus(followed)
      const query = toQuery(corpus, BODIES[0] ?? {})
      left = statements
      const failed = await search.search(corpus.searched, query).then(
        () => false,
        () => true,
      )
      left = Number.POSITIVE_INFINITY
      await check()
      if (!failed) break
      failures++
    }
    expect(failures).toBeGreaterThan(10)
    await reader.close()
  })

  test('is dropped when it was not used for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] })
    const { db, blocks } = countReads(ctx.db)
    const search = createEmbeddedEngine({ db, bytesMax: 2 ** 30 })
    const corpus = await readCorpus(followed)
    const blocksAfter = async (minutes: number) => {
      vi.advanceTimersByTime(minutes * 60_000)
      await search.search(corpus.searched, toQuery(corpus, BODIES[1] ?? {}))
      return blocks()
    }
    const first = await blocksAfter(0)
    expect(first).toBeGreaterThan(0)
    expect([await blocksAfter(9), await blocksAfter(9), await blocksAfter(9)]).toEqual([first, first, first])
    expect([await blocksAfter(11), await blocksAfter(11)]).toEqual([2 * first, 3 * first])
    vi.useRealTimers()
  })
})

test('with a memory budget of 0, every search loads its index again', async () => {
  await open(0)
  for (let i = 0; i < 3; i++) {
    await check()
    await change()
    await mergeStored(ctx.db, followed.datasetId, 0, 2)
  }
  await check()
})
