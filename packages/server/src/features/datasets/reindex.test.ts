import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { openSegment } from '../../search/segments/segment.ts'
import { contextOn, createFollowedDataset, type FollowedDataset } from '../../search/source/testing/dataset.ts'
import { appendChanges, findHeadNumber, readChanges } from '../../storage/changes.ts'
import { loadDatasetNo } from '../../storage/dataset-numbers.ts'
import { deleteSomeSegments, findSegmentBytes, listSegments, listUnindexed } from '../../storage/text-segments.ts'
import { write } from '../../storage/write.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { untilWaiting } from '../../testing/processes.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { createDataset } from './create.ts'
import { deleteDataset } from './delete.ts'
import { indexMissing, reindexDataset } from './reindex.ts'
import { loadDataset } from './store.ts'
import { addRecords } from './testing/datasets.ts'
import { verifyDataset } from './verify.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

/** Number of records; two of them fit into one batch. */
const RECORDS = 7
const PIECES = 4
const PADDING = 'x'.repeat(2_000_000)

class Interrupted extends Error {}

describe('the text index of records that exist', () => {
  eachDatabase((db, openAnother) => {
    let ctx: Context
    let followed: FollowedDataset
    let id: Id
    beforeEach(async () => {
      ctx = contextOn(opened, db())
      // Datasets of other tests may lack segments on purpose.
      await db().sql.run('delete from datasets')
      followed = await createFollowedDataset(ctx)
      id = followed.datasetId
    })

    /** Adds records as a release without segments stored them. Values without a matching field are not indexed. */
    async function addOldRecords(): Promise<number[]> {
      const nos = (await addRecords(ctx, id, Array(RECORDS).fill(null))).map(({ no }) => no)
      for (const no of nos) {
        const fields = JSON.stringify({ body: `green apple ${no}`, padding: PADDING })
        await db().sql.run('update record_fields set fields = ? where record_no = ?', [fields, no])
      }
      return nos
    }

    const head = async () => (await findHeadNumber(db(), id)) ?? -1
    const verify = async () => (await verifyDataset(ctx, await loadDataset(db(), id), () => {})).differences
    const reindex = async (progress: (done: number) => unknown = () => {}) =>
      reindexDataset(ctx, await loadDataset(db(), id), done => void progress(done))

    test('is built together with totals that include what another process commits meanwhile', async () => {
      if (db().dialect.name === 'sqlite') return
      const other = openAnother()
      const gate = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const writing = other.transaction(async tx => {
        const row = {
          id: ctx.newId(),
          dataset_no: await loadDatasetNo(tx, id),
          external_id: null,
          status: 'pending',
          shuffle: 0,
          metadata: null,
        }
        await tx.kysely
          .insertInto('records')
          .values({ ...row, inserted_at: ctx.now(), updated_at: ctx.now() })
          .execute()
        const counted = { changes: [], records: 1, completed: 0, activityAt: null }
        await appendChanges(tx, new Map([[id, counted]]), { actorId: null, now: ctx.now() })
        written.resolve()
        await gate.promise
      })
      await written.promise
      const reindexing = reindex()
      await untilWaiting(db())
      gate.resolve()
      await Promise.all([writing, reindexing])
      expect(await loadDataset(db(), id)).toMatchObject({ records_count: 1 })
      await other.close()
    })

    /** Returns the record numbers of each segment. */
    async function listStored(): Promise<number[][]> {
      const stored: number[][] = []
      for (const { segment_no } of await listSegments(db(), id)) {
        const bytes = (await findSegmentBytes(db(), id, segment_no)) ?? new Uint8Array()
        stored.push([...openSegment(bytes).recordNos()])
      }
      return stored
    }
    const inPieces = (nos: number[]) => Array.from({ length: PIECES }, (_, i) => nos.slice(2 * i, 2 * i + 2))

    test('is built if it is missing, in pieces, each with an entry of the log that nobody is told of', async () => {
      const nos = await addOldRecords()
      const [before, events] = [await head(), opened.events.length]
      const told: [string, number, number][] = []
      await indexMissing(ctx, ({ name }, { done, missing }) => told.push([name, done, missing]))
      expect(told).toEqual([0, 2, 4, 6, 7].map(done => ['followed', done, RECORDS]))
      expect(await listStored()).toEqual(inPieces(nos))
      expect(await readChanges(db(), id, before, 100)).toEqual({
        kind: 'changes',
        changes: Array.from({ length: PIECES }, (_, i) => ({
          change_no: before + i + 1,
          event: 'dataset.indexed',
          record_nos: [],
          details: null,
          actor_id: null,
          inserted_at: expect.any(String),
        })),
      })
      expect(opened.events.slice(events)).toEqual([])
      expect(await verify()).toEqual([])
    })

    test.each([0, 2, 4, 6])('goes on where it was interrupted, after %i records', async stop => {
      const nos = await addOldRecords()
      const interrupted = indexMissing(ctx, (_dataset, { done }) => {
        if (done === stop) throw new Interrupted()
      })
      await expect(interrupted).rejects.toThrow(Interrupted)
      expect((await listStored()).flat()).toEqual(nos.slice(0, stop))
      expect(await listUnindexed(db())).toEqual([
        { dataset_id: id, indexed_to: stop === 0 ? 0 : nos[stop - 1], missing: RECORDS - stop },
      ])
      await indexMissing(ctx, () => {})
      expect(await listStored()).toEqual(inPieces(nos))
      expect(await verify()).toEqual([])
    })

    test('is not built again, nor for drafts, deleted datasets and datasets without records', async () => {
      const { owner, workspaceId } = followed
      await createRecordsBulk(owner, id, [{ fields: { body: 'apple' } }])
      await indexMissing(ctx, () => {})
      await createDataset(owner, { name: 'draft', workspace_id: workspaceId })
      const told: string[] = []
      const again = () => indexMissing(ctx, ({ name }) => told.push(name))
      await again()
      const stored = await listStored()
      await addOldRecords()
      await deleteDataset(owner, id)
      await again()
      expect(told).toEqual([])
      expect(await listStored()).toEqual(stored)
    })

    test('is built for records without text', async () => {
      const [no = 0] = (await addRecords(ctx, id, [null])).map(row => row.no)
      await db().sql.run("update record_fields set fields = '{}' where record_no = ?", [no])
      await indexMissing(ctx, () => {})
      expect(await listUnindexed(db())).toEqual([])
      expect(await verify()).toEqual([])
    })

    test('is built anew by reindex, which removes old segments and sets the totals', async () => {
      const nos = await addOldRecords()
      await indexMissing(ctx, () => {})
      await db().sql.run(`update record_fields set fields = '{"body":"yellow pear"}' where record_no = ?`, [nos[0] ?? 0])
      await db().sql.run("update records set status = 'completed' where no = ?", [nos[1] ?? 0])
      await db().sql.run('update dataset_heads set records_count = 99 where dataset_id = ?', [id])
      const before = await head()
      expect(await verify()).toHaveLength(2)
      expect(await reindex()).toBe(RECORDS)
      expect((await listSegments(db(), id)).every(({ segment_no }) => segment_no > before)).toBe(true)
      expect((await listStored()).flat()).toEqual(nos)
      expect(await loadDataset(db(), id)).toMatchObject({ records_count: RECORDS, completed_count: 1 })
      expect(await verify()).toEqual([])
    })

    test('is right at every moment of a reindex, also if that is interrupted', async () => {
      const nos = await addOldRecords()
      await indexMissing(ctx, () => {})
      const interrupted = reindex(done => {
        if (done === 4) throw new Interrupted()
      })
      await expect(interrupted).rejects.toThrow(Interrupted)
      expect((await listStored()).flat()).toEqual([...nos, ...nos.slice(0, 4)])
      expect(await verify()).toEqual([])
      expect(await listUnindexed(db())).toEqual([])
      await reindex()
      expect(await listStored()).toEqual(inPieces(nos))
    })

    test('goes on at the next start if it was lost and a reindex was interrupted', async () => {
      const nos = await addOldRecords()
      await indexMissing(ctx, () => {})
      expect(await deleteSomeSegments(db(), id, 100)).toBe(PIECES)
      const interrupted = reindex(done => {
        if (done === 4) throw new Interrupted()
      })
      await expect(interrupted).rejects.toThrow(Interrupted)
      await indexMissing(ctx, () => {})
      expect(await listStored()).toEqual(inPieces(nos))
    })

    test('is built from the text of a write that is under way', async () => {
      if (db().dialect.name === 'sqlite') return // SQLite has only one writer at a time.
      const [no = 0] = (await addRecords(ctx, id, [null])).map(row => row.no)
      const waiting = `select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%octet_length%'`
      const { building } = await write(ctx, async tx => {
        await tx.sql.run(`update record_fields set fields = '{"body":"yellow pear"}' where record_no = ?`, [no])
        const building = indexMissing(ctx, () => {})
        await expect.poll(() => db().sql.column<number>(waiting)).toEqual([1])
        // Wrapped in an object, so that the transaction does not await the promise.
        return { building }
      })
      await building
      expect(await verify()).toEqual([])
    })

    test('loses old segments in pieces, however many there are', async () => {
      for (let i = 0; i < 45; i++) {
        await createRecordsBulk(followed.owner, id, [{ fields: { body: `apple ${i}` } }])
        await indexMissing(ctx, () => {})
      }
      expect(await listStored()).toHaveLength(45)
      await reindex()
      expect((await listStored()).map(nos => nos.length)).toEqual([45])
      expect(await verify()).toEqual([])
    })
  })
})
