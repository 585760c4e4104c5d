import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import { deleteDataset } from '../../features/datasets/delete.ts'
import { addRecords } from '../../features/datasets/testing/datasets.ts'
import { createRecordComment } from '../../features/notes/comments.ts'
import { flagRecord } from '../../features/notes/flags.ts'
import { createRecordsBulk } from '../../features/records/create-bulk.ts'
import { deleteRecords } from '../../features/records/delete.ts'
import { deleteOldChanges, findHeadNumber } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { openSqlite, type SqliteHandle } from '../../storage/sqlite.ts'
import { write } from '../../storage/write.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { type CatchUpResult, readCatchUpSteps } from './follow.ts'
import { fromBlocks, fromDocuments, listKeys, readColumn } from './testing/column-values.ts'
import { contextOn, createFollowedDataset, type FollowedDataset, settingsOf } from './testing/dataset.ts'
import { Follower, readAll } from './testing/follower.ts'
import { aWrite, isRefused } from './testing/writes.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

function passOverRefused(error: unknown): void {
  if (!isRefused(error)) throw error
}

/** Null stands for a step in which the follower catches up. */
const someWrites = fc.array(fc.option(aWrite, { freq: 4 }), { minLength: 5, maxLength: 40, size: 'max' })

/** Opens a second connection beside the writing one. PostgreSQL already has a pool. */
function openReader(db: Database): { db: Database; close(): Promise<void> } {
  if (db.dialect.name === 'postgres') return { db, close: async () => {} }
  const path = (db as SqliteHandle).raw.name
  const reader = openSqlite({ path, readonly: true, synchronous: 'normal', busyTimeoutMs: 1000, cacheMb: 1 })
  return { db: reader, close: () => reader.close() }
}

describe('an index that follows the log', () => {
  eachDatabase(db => {
    let ctx: Context
    beforeAll(() => {
      ctx = contextOn(opened, db())
    })
    const item = (body: string) => ({ fields: { body } })
    const headOf = async ({ datasetId }: FollowedDataset) => (await findHeadNumber(db(), datasetId)) ?? -1
    const listAfter = async ({ datasetId }: FollowedDataset, after: number, head: number): Promise<CatchUpResult[]> =>
      Array.fromAsync(readCatchUpSteps(db(), datasetId, { after, head }))
    const listNos = ({ datasetId }: FollowedDataset) =>
      db().sql.column<number>(
        'select no from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
        [datasetId],
      )

    test('has the documents of the tables, whatever is written and whenever it catches up', async () => {
      const compare = async (follower: Follower) => {
        const expected = await follower.catchUp(db())
        expect(new Map([...follower.documents].sort(([a], [b]) => a - b))).toEqual(expected)
      }
      const compareColumns = async ({ datasetId }: FollowedDataset, { documents }: Follower) => {
        const settings = await settingsOf(db(), datasetId)
        const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)
        for (const key of listKeys(idsOf(settings.metadataProperties), idsOf(settings.questions))) {
          const found = await fromBlocks(key, readColumn(db(), { id: datasetId, settings }, key))
          expect(found, JSON.stringify(key)).toEqual(fromDocuments(key, documents))
        }
      }
      const isSqlite = db().dialect.name === 'sqlite'
      await fc.assert(
        fc.asyncProperty(someWrites, async writes => {
          const followed = await createFollowedDataset(ctx)
          const follower = new Follower(followed.datasetId)
          for (const apply of writes) {
            if (apply === null) await compare(follower)
            else await apply(followed).catch(passOverRefused)
          }
          await compare(follower)
          expect(follower.changeNo).toBe(await headOf(followed))
          await compareColumns(followed, follower)
        }),
        { numRuns: isSqlite ? 60 : 5 },
      )
    })

    test('is told of what is there and of what is gone', async () => {
      const followed = await createFollowedDataset(ctx)
      const { owner, datasetId } = followed
      const before = await headOf(followed)
      await createRecordsBulk(owner, datasetId, ['one', 'two', 'three'].map(item))
      const [one, two, three] = (await listNos(followed)) as [number, number, number]
      const [id] = await db().sql.column<string>('select id from records where no = ?', [two])
      await deleteRecords(owner, datasetId, id ?? '')
      const steps = await listAfter(followed, before, before + 2)
      const documents = await readAll(db(), datasetId)
      expect([...documents.keys()]).toEqual([one, three])
      expect(steps).toEqual([{ kind: 'step', changeNo: before + 2, documents, removed: [two], settings: null }])
      expect(await listAfter(followed, before + 2, before + 2)).toEqual([])
    })

    test('stops at the head it was asked for', async () => {
      const followed = await createFollowedDataset(ctx)
      const before = await headOf(followed)
      for (const body of ['one', 'two']) await createRecordsBulk(followed.owner, followed.datasetId, [item(body)])
      const steps = await listAfter(followed, before, before + 1)
      expect(steps.map(step => step.kind === 'step' && [step.changeNo, step.documents.size])).toEqual([[before + 1, 1]])
    })

    test('reads a record once for many entries, and none for comments', async () => {
      const followed = await createFollowedDataset(ctx)
      const { owner, annotators, datasetId } = followed
      await createRecordsBulk(owner, datasetId, [item('one'), item('two')])
      const [id = '', other = ''] = await db().sql.column<string>(
        'select id from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
        [datasetId],
      )
      const before = await headOf(followed)
      for (const person of [owner, ...annotators]) await flagRecord(person, id)
      await createRecordComment(owner, other, { body: 'hm' })
      const steps = await listAfter(followed, before, before + 4)
      expect(steps.map(step => step.kind === 'step' && [...step.documents.values()].map(document => document.id))).toEqual([[id]])
    })

    test('takes many records in several steps, and reaches the number with the last', async () => {
      const followed = await createFollowedDataset(ctx)
      const before = await headOf(followed)
      await createRecordsBulk(
        followed.owner,
        followed.datasetId,
        Array.from({ length: 500 }, (_, i) => item(`${i}`)),
      )
      // Writes their log entry directly, because use cases write at most 500 records per entry.
      const rows = await addRecords(ctx, followed.datasetId, Array(600).fill(null))
      await write(ctx, async tx => emitRecords(tx, 'record.created', followed.datasetId, rows))
      const steps = await listAfter(followed, before, before + 2)
      expect(steps.map(step => step.kind === 'step' && [step.changeNo, step.documents.size])).toEqual([
        [before, 1_000],
        [before + 2, 100],
      ])
    })

    test('reads columns and entries of one moment in a snapshot, while others write', async () => {
      const followed = await createFollowedDataset(ctx)
      const { owner, datasetId } = followed
      await createRecordsBulk(owner, datasetId, [item('one')])
      const nos = await listNos(followed)
      const reader = openReader(db())
      const head = await reader.db.snapshot(async snapshot => {
        const head = (await findHeadNumber(snapshot, datasetId)) ?? -1
        await createRecordsBulk(owner, datasetId, [item('two')])
        const dataset = { id: datasetId, settings: await settingsOf(snapshot, datasetId) }
        const blocks = await Array.fromAsync(readColumn(snapshot, dataset, { kind: 'record', property: 'id' }))
        expect(blocks.flatMap(({ recordNos }) => recordNos)).toEqual(nos)
        expect(await Array.fromAsync(readCatchUpSteps(snapshot, datasetId, { after: head, head: head + 1 }))).toEqual([
          { kind: 'rebuild' },
        ])
        return head
      })
      expect(await headOf(followed)).toBe(head + 1)
      const [step] = await listAfter(followed, head, head + 1)
      expect(step).toMatchObject({ kind: 'step', changeNo: head + 1, removed: [] })
      await reader.close()
    })

    test('starts from the tables if the log does not reach back, and is told that a dataset is deleted', async () => {
      const followed = await createFollowedDataset(ctx)
      const { owner, datasetId } = followed
      const head = await headOf(followed)
      expect(await listAfter(followed, head, head + 1)).toEqual([{ kind: 'rebuild' }])
      await deleteOldChanges(db(), datasetId, { before: '9', limit: 3 })
      expect(await listAfter(followed, 2, head)).toEqual([{ kind: 'rebuild' }])
      expect((await listAfter(followed, 3, head)).map(({ kind }) => kind)).toEqual(['step'])
      await deleteDataset(owner, datasetId)
      expect(await listAfter(followed, 3, head + 1)).toEqual([{ kind: 'deleted' }])
    })
  })
})
