/** What several people do to one record at once. On SQLite one thread writes, one transaction at a time; PostgreSQL has many. */
import type { Dataset } from '@postil/domain/datasets'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { readChanges } from '../../storage/changes.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { createDataset } from '../datasets/create.ts'
import { loadDataset, updateDataset as storeDataset } from '../datasets/store.ts'
import { addRecords, MOOD_QUESTION, TEXT_FIELD } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import { createField } from '../fields/create.ts'
import { createQuestion } from '../questions/create.ts'
import { countRecords, type RecordRow } from '../records/store.ts'
import { listMyHistory } from './read.ts'
import { createResponse, updateResponse, upsertResponsesBulk } from './write.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const submitted = (value = 'good') => ({ status: 'submitted' as const, values: { mood: { value } } })

describe('a record that several people answer at once', () => {
  eachDatabase(db => {
    let owner: RequestContext
    let annotators: RequestContext[]
    let workspaceId: Id
    beforeAll(async () => {
      const ctx = { ...opened, db: db() }
      workspaceId = await addWorkspace(ctx)
      owner = await actAs(ctx, 'owner')
      annotators = await Promise.all(['a', 'b', 'c'].map(() => actAs(ctx, 'annotator', [workspaceId])))
    })

    /** Published without a text index, which PostgreSQL has not: nothing here searches. */
    async function addDataset(minSubmitted: number): Promise<Dataset> {
      const distribution = { strategy: 'overlap' as const, min_submitted: minSubmitted }
      const draft = await createDataset(owner, { name: `dataset-${owner.newId()}`, workspace_id: workspaceId, distribution })
      await createField(owner, draft.id, TEXT_FIELD)
      await createQuestion(owner, draft.id, MOOD_QUESTION)
      const dataset: Dataset = { ...draft, status: 'ready' }
      await storeDataset(db(), dataset)
      return dataset
    }

    const aRecord = async ({ id }: Dataset) => (await addRecords(owner, id, [null]))[0] as RecordRow

    async function atOnce<T>(works: (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
      if (db().dialect.name === 'postgres') return Promise.allSettled(works.map(work => work()))
      const results: PromiseSettledResult<T>[] = []
      for (const work of works) results.push(...(await Promise.allSettled([work()])))
      return results
    }

    async function listEvents({ id }: Dataset, name: string) {
      const read = await readChanges(db(), id, 0, 1_000)
      return read.kind === 'changes' ? read.changes.filter(({ event }) => event === name) : []
    }

    const expectTotals = async ({ id }: Dataset, records: number, completed: number) => {
      expect(await countRecords(db(), id)).toEqual({ records, completed })
      expect(await loadDataset(db(), id)).toMatchObject({ records_count: records, completed_count: completed })
    }

    test('is completed once, by the last missing response', async () => {
      const dataset = await addDataset(3)
      for (let round = 1; round <= 10; round++) {
        const record = await aRecord(dataset)
        const results = await atOnce(annotators.map(person => () => createResponse(person, record.id, submitted())))
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
        const completed = await listEvents(dataset, 'record.completed')
        expect(completed.map(({ record_nos }) => record_nos).at(-1)).toEqual([record.no])
        expect(completed.length).toBe(round)
        await expectTotals(dataset, round, round)
      }
    })

    test('has one response of a person who sends two at once', async () => {
      const dataset = await addDataset(1)
      const [person] = annotators as [RequestContext]
      for (let round = 0; round < 5; round++) {
        const record = await aRecord(dataset)
        const results = await atOnce([1, 2, 3].map(() => () => createResponse(person, record.id, submitted())))
        const refused = results.flatMap(result => (result.status === 'rejected' ? result.reason.code : []))
        expect(refused).toEqual(['not_unique', 'not_unique'])
      }
      await expectTotals(dataset, 5, 5)
    })

    test('keeps every version of a response that is changed several times at once', async () => {
      const dataset = await addDataset(1)
      const [person] = annotators as [RequestContext]
      const record = await aRecord(dataset)
      const { id } = await createResponse(person, record.id, submitted('0'))
      const values = ['1', '2', '3', '4', '5', '6']
      const changes = values.map(value => async () => {
        if (Number(value) % 2 === 0) return updateResponse(person, id, submitted(value))
        return upsertResponsesBulk(person, [{ record_id: record.id, ...submitted(value) }])
      })
      const results = await atOnce<unknown>(changes)
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      const { items } = await listMyHistory(person, record.id)
      const current = await db().sql.column<string>('select "values" from responses where id = ?', [id])
      const kept = [...items.map(item => item.values?.mood?.value), JSON.parse(current[0] ?? '').mood.value]
      expect(kept.toSorted()).toEqual(['0', ...values])
    })

    test('is completed as the distribution says that is changed meanwhile', async () => {
      const dataset = await addDataset(3)
      const records = await addRecords(owner, dataset.id, Array(6).fill(null))
      for (const { id } of records) await createResponse(annotators[0] as RequestContext, id, submitted())
      const distribution = { strategy: 'overlap' as const, min_submitted: 2 }
      const answers = records.map(
        ({ id }) =>
          () =>
            createResponse(annotators[1] as RequestContext, id, submitted()),
      )
      const results = await atOnce<unknown>([...answers, () => updateDataset(owner, dataset.id, { distribution })])
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      await expectTotals(dataset, 6, 6)
    })
  })
})
