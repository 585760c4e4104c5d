/** Concurrent changes of two processes to the records of one dataset. */
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { JsonText } from '../../lib/answer.ts'
import { readChanges } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { DATASET_NO } from '../../storage/dataset-numbers.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { loadDataset } from '../datasets/store.ts'
import { addPublished } from '../datasets/testing/datasets.ts'
import { flagRecord } from '../notes/flags.ts'
import { listQuestions } from '../questions/store.ts'
import { putSuggestion } from '../suggestions/write.ts'
import { createVectorsSettings } from '../vectors-settings/create.ts'
import { createRecordsBulk } from './create-bulk.ts'
import { deleteRecord } from './delete.ts'
import { upsertRecordsBulk } from './upsert-bulk.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const records = (text: string, ids: readonly string[]) => ids.map(external_id => ({ external_id, fields: { text } }))

describe('records that two processes write at once', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let one: RequestContext
    let two: RequestContext
    let datasetId: Id
    beforeAll(async () => {
      other = openAnother()
      const ctx = inProcess(opened, db())
      one = await actAs(ctx, 'owner')
      two = inProcess(one, other)
      datasetId = (await addPublished({ owner: one, workspaceId: await addWorkspace(ctx) })).id
    })
    afterAll(() => other.close())

    const listTexts = async (ids: readonly string[]) => {
      const text = `select r.external_id, f.fields from records r join record_fields f on f.record_no = r.no
        where r.dataset_no = ${DATASET_NO} order by r.external_id`
      const rows = await db().sql.all<{ external_id: string; fields: string }>(text, [datasetId])
      return rows.filter(row => ids.includes(row.external_id)).map(row => JSON.parse(row.fields).text)
    }

    const eventsAfter = async (changeNo: number) => {
      const read = await readChanges(db(), datasetId, changeNo, 100)
      return read.kind === 'changes' ? read.changes.map(({ event, record_nos }) => [event, record_nos.length]) : read.kind
    }

    test('with the same new external ids are created by the first upsert and changed by the second', async () => {
      const ids = ['a', 'b', 'c']
      const { change_no, records_count } = await loadDataset(db(), datasetId)
      const events = opened.events.length
      const results = await race(db(), {
        first: gated => upsertRecordsBulk(gated(one), datasetId, records('first', ids)),
        second: () => upsertRecordsBulk(two, datasetId, records('second', [...ids, 'd'])),
      })
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      const { text } = (results[1] as PromiseFulfilledResult<JsonText>).value
      expect(JSON.parse(text).updated_item_ids).toHaveLength(3)
      expect(await listTexts([...ids, 'd'])).toEqual(Array(4).fill('second'))
      expect(await loadDataset(db(), datasetId)).toMatchObject({ records_count: records_count + 4 })
      expect(await eventsAfter(change_no)).toEqual([
        ['record.created', 3],
        ['record.created', 1],
        ['record.updated', 3],
      ])
      // The attempt that was rolled back sends no events.
      expect(opened.events.slice(events).map(({ name }) => name)).toEqual(['record.created', 'record.created', 'record.updated'])
    })

    test('with the same new external ids are refused to the second who creates them, as those that exist', async () => {
      const results = await race(db(), {
        first: gated => upsertRecordsBulk(gated(one), datasetId, records('first', ['e'])),
        second: () => createRecordsBulk(two, datasetId, records('second', ['f', 'e'])),
      })
      const reason = { code: 'unprocessable', message: expect.stringContaining('exist already: `e`') }
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason }])
      expect(await listTexts(['e', 'f'])).toEqual(['first'])
    })

    test('with vectors are committed in the order of the numbers that their vectors got', async () => {
      await createVectorsSettings(one, datasetId, { name: 'v', title: 'v', dimensions: 2 })
      const withVector = (ids: readonly string[]) => records('v', ids).map(record => ({ ...record, vectors: { v: [1, 2] } }))
      const committed: string[] = []
      await race(db(), {
        first: async gated => {
          await createRecordsBulk(gated(one), datasetId, withVector(['v1', 'v2', 'v3']))
          committed.push('first')
        },
        second: async () => {
          await upsertRecordsBulk(two, datasetId, withVector(['v4', 'v5', 'v6']))
          committed.push('second')
        },
      })
      // A search thread that has read the second must not miss the first.
      expect(committed).toEqual(['first', 'second'])
      const text = 'select r.external_id from vectors v join records r on r.no = v.record_no order by v.no'
      expect(await db().sql.column(text)).toEqual(['v1', 'v2', 'v3', 'v4', 'v5', 'v6'])
    })

    test('and delete are not found by a user who flags them meanwhile', async () => {
      const { text } = await createRecordsBulk(one, datasetId, records('flagged', ['g']))
      const { id } = JSON.parse(text).items[0]
      const results = await race<unknown, unknown>(db(), {
        first: gated => deleteRecord(gated(one), id),
        second: () => flagRecord(two, id),
      })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_found' } }])
    })

    test('and suggest an answer for get the suggestion of the first', async () => {
      const { text } = await createRecordsBulk(one, datasetId, records('suggested', ['h']))
      const { id } = JSON.parse(text).items[0]
      const [question] = await listQuestions(db(), datasetId)
      const suggestion = (value: string) => ({ question_id: question?.id ?? '', value })
      const results = await race(db(), {
        first: gated => putSuggestion(gated(one), id, suggestion('first'), { replace: false }),
        second: () => putSuggestion(two, id, suggestion('second'), { replace: false }),
      })
      expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_unique' } }])
    })

    test('with the same new external ids in other orders are all stored, though their upserts wait for each other', async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `many-${index}`)
      const upserts = [ids, ids.toReversed(), ids].map((some, index) => async () => {
        return upsertRecordsBulk(index % 2 === 0 ? one : two, datasetId, records('x', some))
      })
      for (const upsert of db().dialect.name === 'sqlite' ? upserts : []) await upsert()
      if (db().dialect.name === 'postgres') await Promise.all(upserts.map(upsert => upsert()))
      expect(await listTexts(ids)).toHaveLength(30)
    })
  })
})
