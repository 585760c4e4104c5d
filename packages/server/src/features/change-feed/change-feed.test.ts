import { FEED_IDS_MAX, type FeedEntry, type FeedPage } from '@postil/domain/change-feed'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { emitRecords } from '../../events/emit.ts'
import type { JsonText } from '../../lib/answer.ts'
import { WhenChanged } from '../../lib/answer.ts'
import { deleteOldChanges } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { deleteDataset } from '../datasets/delete.ts'
import { addPublished, addRecords } from '../datasets/testing/datasets.ts'
import { flagRecord } from '../notes/flags.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { deleteRecord } from '../records/delete.ts'
import { listDatasetEvents } from './list.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const FAR = '9999-01-01T00:00:00.000000'

describe('the change feed', () => {
  eachDatabase((db, openAnother) => {
    let owner: RequestContext
    let other: Database
    let workspaceId: Id
    let datasetId: Id
    beforeAll(async () => {
      const ctx = inProcess(opened, db())
      other = openAnother()
      owner = await actAs(ctx, 'owner')
      workspaceId = await addWorkspace(ctx)
    })
    afterAll(() => other.close())

    const aDataset = async () => {
      datasetId = (await addPublished({ owner, workspaceId })).id
    }
    const read = async (query: { after?: number; limit?: number } = {}): Promise<FeedPage> => {
      const page = await listDatasetEvents(owner, datasetId, query)
      if (page instanceof WhenChanged) throw new Error('The answer waits without being asked to')
      return page
    }
    const create = async (count: number): Promise<Id[]> => {
      const items = Array.from({ length: count }, () => ({ fields: { text: 'hello' } }))
      const { text } = (await createRecordsBulk(owner, datasetId, items)) as JsonText
      return JSON.parse(text).items.map(({ id }: { id: Id }) => id)
    }
    const numbersOf = (items: readonly FeedEntry[]) => items.map(({ change_no }) => change_no)

    test('has all entries in order, from the beginning or after one of them', async () => {
      await aDataset()
      const [id = ''] = await create(1)
      await flagRecord(owner, id)
      const { items, next, head } = await read()
      expect([next, head]).toEqual([items.length, items.length])
      expect(items.map(({ event }) => event)).toEqual([
        'dataset.created',
        'settings.updated',
        'settings.updated',
        'dataset.published',
        'record.created',
        'flag.created',
      ])
      const common = { actor_id: owner.actor.id, inserted_at: expect.stringMatching(/^\d{4}-/) }
      expect(items[1]).toEqual({ ...common, change_no: 2, event: 'settings.updated', record_ids: [], settings: 'fields' })
      expect(items[5]).toEqual({ ...common, change_no: 6, event: 'flag.created', record_ids: [id] })
      expect(await read({ after: 2, limit: 3 })).toEqual({ items: items.slice(2, 5), next: 5, head })
      expect(await read({ after: 6 })).toEqual({ items: [], next: 6, head: 6 })
    })

    test('walked in steps of any size is the same', async () => {
      const { items: all } = await read()
      for (const limit of [1, 2, 4, 1_000]) {
        const walked: FeedEntry[] = []
        for (let after = 0; ; ) {
          const { items, next } = await read({ after, limit })
          if (items.length === 0) break
          walked.push(...items)
          after = next
        }
        expect(walked).toEqual(all)
      }
    })

    test('names records that were deleted since, also in entries before', async () => {
      await aDataset()
      const { head } = await read()
      const ids = await create(3)
      await deleteRecord(owner, ids[1] ?? '')
      await flagRecord(owner, ids[0] ?? '')
      const { items } = await read({ after: head })
      expect(items.map(({ event, record_ids }) => [event, record_ids])).toEqual([
        ['record.created', ids],
        ['record.deleted', [ids[1]]],
        ['flag.created', [ids[0]]],
      ])
    })

    test('tells callers whose next entries were deleted where the log begins', async () => {
      await aDataset()
      const [id = ''] = await create(1)
      await deleteRecord(owner, id)
      await create(1)
      const before = await read()
      const countDeleted = () => db().sql.column('select record_id from deleted_records where record_id = ?', [id])
      await deleteOldChanges(db(), datasetId, { before: FAR, limit: 5 })
      expect(await countDeleted()).toEqual([id])
      await expect(read({ after: 4 })).rejects.toMatchObject({
        code: 'changes_pruned',
        first: 6,
        head: 7,
        message: expect.stringMatching(/oldest entry that is kept is 6\. Read the whole dataset, and go on after entry 7/),
      })
      await expect(read()).rejects.toMatchObject({ code: 'changes_pruned' })
      expect(await read({ after: 5 })).toEqual({ ...before, items: before.items.slice(5) })
      await deleteOldChanges(db(), datasetId, { before: FAR, limit: 1 })
      expect(await countDeleted()).toEqual([])
      await deleteOldChanges(db(), datasetId, { before: FAR, limit: 9 })
      await expect(read({ after: 6 })).rejects.toMatchObject({ code: 'changes_pruned', first: null, head: 7 })
      expect(await read({ after: 7 })).toEqual({ items: [], next: 7, head: 7 })
    })

    test('rejects a number beyond the end of the log', async () => {
      await expect(read({ after: 8 })).rejects.toMatchObject({
        code: 'changes_restored',
        first: null,
        head: 7,
        message: expect.stringMatching(/ends at entry 7, before 8: the server was restored/),
      })
      await expect(read({ after: Number.MAX_SAFE_INTEGER })).rejects.toMatchObject({ code: 'changes_restored' })
    })

    test('rejects a number whose entry has another time', async () => {
      await aDataset()
      const { items } = await read()
      const ask = (after: number, after_at: string) => listDatasetEvents(owner, datasetId, { after, after_at })
      expect(await ask(2, items[1]?.inserted_at ?? '')).toMatchObject({ items: items.slice(2) })
      await expect(ask(2, items[0]?.inserted_at ?? '')).rejects.toMatchObject({
        code: 'changes_restored',
        message: expect.stringMatching(/^Entry 2 was written at .+, not at .+: the server was restored/),
      })
      expect(await ask(0, 'any')).toMatchObject({ items })
      // Deleted entries cannot be compared.
      await deleteOldChanges(db(), datasetId, { before: FAR, limit: 2 })
      expect(await ask(2, 'any')).toMatchObject({ items: items.slice(2) })
    })

    test('ends a page with the entry that reaches the limit of ids', async () => {
      await aDataset()
      const { head } = await read()
      const rows = await addRecords(owner, datasetId, Array(FEED_IDS_MAX - 1).fill(null))
      const emit = (count: number) => write(owner, async tx => emitRecords(tx, 'record.updated', datasetId, rows.slice(0, count)))
      for (const count of [rows.length, 5, 1]) await emit(count)
      const sizes = async (after: number) => (await read({ after })).items.map(({ record_ids }) => record_ids.length)
      expect(await sizes(head)).toEqual([rows.length, 5])
      expect(await sizes(head + 1)).toEqual([5, 1])
      expect((await read({ after: head })).items[0]?.record_ids).toEqual(rows.map(({ id }) => id))
    })

    test('has what two processes write at once, each once and in the order of commits', async () => {
      await aDataset()
      const ids = await create(2)
      const { head } = await read()
      const two = inProcess(owner, other)
      await race(db(), {
        first: gated => flagRecord(gated(owner), ids[0] ?? ''),
        second: () => deleteRecord(two, ids[1] ?? ''),
      })
      const { items } = await read({ after: head })
      expect(numbersOf(items)).toEqual([head + 1, head + 2])
      expect(new Set(items.map(({ event }) => event))).toEqual(new Set(['flag.created', 'record.deleted']))
    })

    test('waits only if nothing is there yet', async () => {
      const { head } = await read()
      const waiting = await listDatasetEvents(owner, datasetId, { after: head, wait: 9 })
      expect(waiting).toEqual(new WhenChanged({ items: [], next: head, head }, { datasetId, after: head, seconds: 9 }))
      expect(await listDatasetEvents(owner, datasetId, { after: head - 1, wait: 9 })).toMatchObject({ next: head })
    })

    test('is not found after its dataset was deleted', async () => {
      await deleteDataset(owner, datasetId)
      await expect(read()).rejects.toMatchObject({ code: 'not_found' })
    })
  })
})
