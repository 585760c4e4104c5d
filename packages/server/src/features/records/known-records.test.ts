/** Records cached by a search thread: the next search shows every change written by another process. PostgreSQL only. */
import type { SearchBody } from '@postil/domain/search/query'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context, RequestContext } from '../../context.ts'
import { createEmbeddedEngine } from '../../search/embedded/engine.ts'
import { contextOn, createFollowedDataset, type FollowedDataset } from '../../search/source/testing/dataset.ts'
import { aWrite, isRefused } from '../../search/source/testing/writes.ts'
import type { Database } from '../../storage/database.ts'
import { openPostgres } from '../../storage/postgres.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { isPostgresLeftOut, openTestPostgres } from '../../testing/databases.ts'
import { inProcess } from '../../testing/processes.ts'
import { POSTGRES_START_MS } from '../../testing/run-postgres.ts'
import { createResponse } from '../responses/write.ts'
import { createRecordsBulk } from './create-bulk.ts'
import { listRecords, searchRecords } from './search.ts'

/** More than other unit tests have: every read is compared with that of an empty cache after each of up to a hundred writes. */
const ALL_WRITES_MS = 90_000
const LONG = 'long '.repeat(20_000)
const byUpdate: SearchBody = { sort: [{ scope: { entity: 'record', property: 'updated_at' }, order: 'desc' }] }
const BOTH = { include: ['responses', 'suggestions'] }

type Ask = (ctx: Context, followed: FollowedDataset) => Promise<{ text: string }>
const as = (ctx: Context, person: RequestContext | undefined, { owner }: FollowedDataset): RequestContext => ({
  ...owner,
  ...ctx,
  actor: (person ?? owner).actor,
})

const ASKS: Ask[] = [
  (ctx, followed) => searchRecords(as(ctx, undefined, followed), 'all', followed.datasetId, {}, BOTH),
  (ctx, followed) => searchRecords(as(ctx, undefined, followed), 'all', followed.datasetId, byUpdate, { limit: 3 }),
  (ctx, followed) => searchRecords(as(ctx, undefined, followed), 'all', followed.datasetId, {}, { include: ['vectors'] }),
  (ctx, followed) => searchRecords(as(ctx, followed.annotators[0], followed), 'mine', followed.datasetId, byUpdate, BOTH),
  (ctx, followed) => searchRecords(as(ctx, followed.annotators[1], followed), 'mine', followed.datasetId, {}, BOTH),
  (ctx, followed) => listRecords(as(ctx, followed.annotators[1], followed), 'mine', followed.datasetId, { offset: 1 }),
]

if (!isPostgresLeftOut)
  describe('records in memory', () => {
    let opened: TestContext
    let postgres: Awaited<ReturnType<typeof openTestPostgres>>
    /** Contexts of the writing process and of a search thread in another process. */
    let writer: Context
    let thread: Context
    let handles: Database[]
    let statements = 0
    beforeAll(async () => {
      opened = await openTestContext()
      postgres = await openTestPostgres()
      const beforeStatement = () => {
        statements++
      }
      handles = [1, 2].map(() =>
        openPostgres({ url: postgres.url, poolSize: 4, readonly: true, isPrepared: true, beforeStatement }),
      )
      const [requests, index] = handles as [Database, Database]
      writer = contextOn(opened, postgres.db)
      thread = inProcess({ ...writer, search: createEmbeddedEngine({ db: index, bytesMax: 2 ** 30 }) }, requests)
    }, POSTGRES_START_MS)
    afterAll(async () => {
      for (const handle of handles) await handle.close()
      await postgres.close()
      await opened.close()
    })

    /** Returns the result of a thread with an empty cache. */
    const askAnew = (ask: Ask, followed: FollowedDataset) =>
      ask({ ...writer, search: createEmbeddedEngine({ db: postgres.db, bytesMax: 2 ** 30 }) }, followed)
    const textOf = async (ask: Ask, followed: FollowedDataset) => (await ask(thread, followed)).text
    const countStatements = async (work: () => Promise<unknown>) => {
      const before = statements
      await work()
      return statements - before
    }
    const search = ASKS[0] as Ask
    const addItems = ({ owner, datasetId }: FollowedDataset, bodies: readonly string[]) =>
      createRecordsBulk(
        owner,
        datasetId,
        bodies.map(body => ({ fields: { body } })),
      )

    test('are those of the database after every write, one by one and at the same time', { timeout: ALL_WRITES_MS }, async () => {
      const someWrites = fc.array(fc.record({ write: aWrite, times: fc.nat(8), isMeanwhile: fc.boolean() }), {
        minLength: 10,
        maxLength: 25,
        size: 'max',
      })
      await fc.assert(
        fc.asyncProperty(someWrites, async writes => {
          const followed = await createFollowedDataset(writer)
          // Texts long enough for the suggested spans.
          await addItems(followed, ['green apple one', 'green apple two', 'green apple three', LONG])
          for (const { write, times, isMeanwhile } of writes) {
            const [written, ...asked] = await Promise.allSettled([
              write(followed),
              ...(isMeanwhile ? ASKS.map(ask => ask(thread, followed)) : []),
            ])
            if (written.status === 'rejected' && !isRefused(written.reason)) throw written.reason
            expect(asked.filter(({ status }) => status === 'rejected')).toEqual([])
            const expected: string[] = []
            for (const ask of ASKS) expected.push((await askAnew(ask, followed)).text)
            for (let time = 0; time < times; time++) {
              // Alternates between sequential and concurrent requests.
              const found = time % 3 === 0 ? await Promise.all(ASKS.map(ask => textOf(ask, followed))) : []
              if (found.length > 0) expect(found).toEqual(expected)
              else for (const [i, ask] of ASKS.entries()) expect(await textOf(ask, followed)).toBe(expected[i])
            }
          }
        }),
        { numRuns: 4, endOnFailure: true },
      )
    })

    test('are not read again, except those that others have changed', async () => {
      const followed = await createFollowedDataset(writer)
      await addItems(followed, ['one', 'two', 'three'])
      for (let time = 0; time < 10; time++) await search(thread, followed)
      // One statement: the stamps of the dataset.
      expect(await countStatements(() => search(thread, followed))).toBe(1)
      const { items } = JSON.parse(await textOf(search, followed))
      const [annotator] = followed.annotators as [RequestContext]
      const values = { label: { value: 'a' } }
      await createResponse(annotator, items[1].record.id, { status: 'submitted', values })
      const after = JSON.parse(await textOf(search, followed)).items
      expect(after[1].record).toMatchObject({ status: 'completed', responses: [{ user_id: annotator.actor.id, values }] })
      expect([after[0], after[2]]).toEqual([items[0], items[2]])
      for (let time = 0; time < 10; time++) await search(thread, followed)
      expect(await countStatements(() => search(thread, followed))).toBe(1)
    })

    test('are read each time if they are long', async () => {
      const followed = await createFollowedDataset(writer)
      await addItems(followed, ['one', LONG])
      for (let time = 0; time < 10; time++) await search(thread, followed)
      // The stamps, and the long record with its responses and suggestions.
      expect(await countStatements(() => search(thread, followed))).toBe(4)
    })

    test('show a page that was not asked for before while others are known', async () => {
      const followed = await createFollowedDataset(writer)
      await addItems(followed, ['one', 'two', 'three'])
      const page =
        (offset: number): Ask =>
        (ctx, { datasetId }) =>
          searchRecords(as(ctx, undefined, followed), 'all', datasetId, byUpdate, { offset, limit: 1, ...BOTH })
      for (let time = 0; time < 10; time++) await page(0)(thread, followed)
      for (const offset of [1, 2, 0]) {
        expect(await textOf(page(offset), followed)).toBe((await askAnew(page(offset), followed)).text)
      }
    })
  })
