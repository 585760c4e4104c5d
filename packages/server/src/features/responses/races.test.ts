/**
 * Concurrent changes of several users to one record, in two processes. On SQLite, only one process writes, one transaction at a
 * time.
 */
import type { Dataset } from '@postil/domain/datasets'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { readChanges } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { loadDataset } from '../datasets/store.ts'
import { addPublished, addRecords } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { countRecords, type RecordRow } from '../records/store.ts'
import { upsertRecordsBulk } from '../records/upsert-bulk.ts'
import { listMyHistory } from './read.ts'
import { createResponse, updateResponse, upsertResponsesBulk } from './write.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const submitted = (value = 'good') => ({ status: 'submitted' as const, values: { mood: { value } } })

describe('a record that several people answer at once', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let owner: RequestContext
    let annotators: RequestContext[]
    let workspaceId: Id
    beforeAll(async () => {
      other = openAnother()
      const ctx = inProcess(opened, db())
      workspaceId = await addWorkspace(ctx)
      owner = await actAs(ctx, 'owner')
      const people = await Promise.all(['a', 'b', 'c'].map(() => actAs(ctx, 'annotator', [workspaceId])))
      annotators = people.map((person, index) => (index === 1 ? inProcess(person, other) : person))
    })
    afterAll(() => other.close())

    async function addDataset(min_submitted: number): Promise<Dataset> {
      const { id } = await addPublished({ owner, workspaceId })
      return updateDataset(owner, id, { distribution: { strategy: 'overlap', min_submitted } })
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
      const tabs = [person, inProcess(person, other), person]
      for (let round = 0; round < 5; round++) {
        const record = await aRecord(dataset)
        const results = await atOnce(tabs.map(tab => () => createResponse(tab, record.id, submitted())))
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
      const values = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
      const changes = values.map(value => async () => {
        const tab = Number(value) % 2 === 0 ? person : inProcess(person, other)
        if (Number(value) % 3 === 0) return updateResponse(tab, id, submitted(value))
        if (Number(value) % 3 === 1) return upsertResponsesBulk(tab, [{ record_id: record.id, ...submitted(value) }])
        const responses = [{ user_id: person.actor.id, ...submitted(value) }]
        return upsertRecordsBulk(inProcess(owner, tab.db), dataset.id, [{ id: record.id, responses }])
      })
      const results = await atOnce<unknown>(changes)
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      const { items } = await listMyHistory(person, record.id)
      const versions = 'select version from response_history where record_no = ? order by version'
      expect(await db().sql.column<number>(versions, [record.no])).toEqual(values.map(Number))
      const current = await db().sql.column<string>('select "values" from responses where id = ?', [id])
      const kept = [...items.map(item => item.values?.mood?.value), JSON.parse(current[0] ?? '').mood.value]
      expect(kept.toSorted()).toEqual(['0', ...values])
    })

    test('is completed as the distribution says that is changed meanwhile', async () => {
      const dataset = await addDataset(3)
      const records = await addRecords(owner, dataset.id, Array(6).fill(null))
      for (const { id } of records) await createResponse(annotators[0] as RequestContext, id, submitted())
      const answers = records.map(
        ({ id }) =>
          () =>
            createResponse(annotators[1] as RequestContext, id, submitted()),
      )
      const results = await atOnce<unknown>([...answers, () => changeMinimum(owner, dataset, 2)])
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      await expectTotals(dataset, 6, 6)
    })

    const changeMinimum = (person: RequestContext, { id }: Dataset, min_submitted: number) =>
      updateDataset(person, id, { distribution: { strategy: 'overlap', min_submitted } })

    test.each([
      { from: 1, to: 2, first: 'response' },
      { from: 1, to: 2, first: 'change' },
      { from: 2, to: 1, first: 'response' },
      { from: 2, to: 1, first: 'change' },
    ])(
      'has the status of the new distribution ($from to $to) if its first response and the change meet; first: $first',
      async ({ from, to, first }) => {
        const dataset = await addDataset(from)
        const record = await aRecord(dataset)
        const respond = (person: RequestContext) => createResponse(person, record.id, submitted())
        const [person] = annotators as [RequestContext]
        const lead = inProcess(owner, other)
        const results = await race<unknown, unknown>(
          db(),
          first === 'response'
            ? { first: gated => respond(gated(person)), second: () => changeMinimum(lead, dataset, to) }
            : { first: gated => changeMinimum(gated(lead), dataset, to), second: () => respond(person) },
        )
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
        await expectTotals(dataset, 1, to === 1 ? 1 : 0)
      },
    )

    test.each([
      { bulk: 'created', write: createRecordsBulk, first: 'bulk' },
      { bulk: 'created', write: createRecordsBulk, first: 'change' },
      { bulk: 'upserted', write: upsertRecordsBulk, first: 'bulk' },
      { bulk: 'upserted', write: upsertRecordsBulk, first: 'change' },
    ])('that is $bulk with its response has the status of the new distribution; first: $first', async ({ write, first }) => {
      const dataset = await addDataset(1)
      const items = [{ fields: { text: 'x' }, responses: [{ user_id: owner.actor.id, ...submitted() }] }]
      const load = (person: RequestContext) => write(person, dataset.id, items)
      const lead = inProcess(owner, other)
      const results = await race<unknown, unknown>(
        db(),
        first === 'bulk'
          ? { first: gated => load(gated(owner)), second: () => changeMinimum(lead, dataset, 2) }
          : { first: gated => changeMinimum(gated(lead), dataset, 2), second: () => load(owner) },
      )
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      await expectTotals(dataset, 1, 0)
    })
  })
})
