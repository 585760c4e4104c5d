/** A bulk job that two processes run concurrently, because the lease of the first expired while it was still running. */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { deleteDataset } from '../datasets/delete.ts'
import type { TestPlace } from '../datasets/testing/datasets.ts'
import { startBulkJob, undoBulkJob } from './create.ts'
import { getBulkJob } from './read.ts'
import { runBulkJob } from './run.ts'
import { addBulkDataset, addRecords, answer, type BulkDataset, plain, respond, responsesOf, runJobs } from './testing/bulk.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('a bulk job in two processes', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    let place: TestPlace
    let me: RequestContext
    let dataset: BulkDataset
    let ids: Id[]
    let job: BulkJob
    beforeAll(async () => {
      other = openAnother()
      const ctx = inProcess(opened, db())
      place = { owner: await actAs(ctx, 'owner'), workspaceId: await addWorkspace(ctx) }
      me = await actAs(ctx, 'annotator', [place.workspaceId])
    })
    beforeEach(async () => {
      dataset = await addBulkDataset(place)
      ids = await addRecords(place, dataset, plain(102))
      for (const id of ids.slice(0, 2)) await answer(me, id, { status: 'submitted', values: { mood: { value: 'bad' } } })
      job = await start(me)
    })
    afterAll(() => other.close())

    const start = (person: RequestContext, write_id?: Id) => {
      const request = { record_ids: ids, action: respond('good'), expected_total: ids.length, ...(write_id && { write_id }) }
      return startBulkJob(person, { dataset_id: dataset.id, request, record_nos: null })
    }
    const payload = () => ({ bulk_job_id: job.id })
    const listMoods = async () => {
      const moods = Array.from((await responsesOf(me, dataset.id)).values(), ({ values }) => JSON.stringify(values))
      return [...new Set(moods)]
    }

    test('answers each record once, and can be undone', async () => {
      const results = await race(db(), {
        first: gated => runBulkJob(gated(me), payload()),
        second: () => runBulkJob(inProcess(me, other), payload()),
      })
      expect(results).toMatchObject([{ value: payload() }, { value: null }])
      expect(await getBulkJob(me, job.id)).toMatchObject({ status: 'finished', done: 102, failed: 0 })
      const kept = 'select count(*) as kept from response_history where job_id = ? group by record_no'
      expect([...new Set(await db().sql.column<number>(kept, [job.id]))]).toEqual([1])
      expect(await listMoods()).toEqual(['{"mood":{"value":"good"}}'])

      await undoBulkJob(me, job.id)
      await runJobs(me)
      expect(await listMoods()).toEqual(['{"mood":{"value":"bad"}}'])
    })

    test('is undone by one job', async () => {
      await runJobs(me)
      const results = await race(db(), {
        first: gated => undoBulkJob(gated(me), job.id),
        second: () => undoBulkJob(inProcess(me, other), job.id),
      })
      const [one, two] = results.map(result => result.status === 'fulfilled' && result.value.id)
      expect(one).toMatch(/-/)
      expect(two).toBe(one)
    })

    test('is started once by a request that is sent twice', async () => {
      const writeId = me.newId()
      const results = await race(db(), {
        first: gated => start(gated(me), writeId),
        second: () => start(inProcess(me, other), writeId),
      })
      const [one, two] = results.map(result => result.status === 'fulfilled' && result.value.id)
      expect(one).toMatch(/-/)
      expect(two).toBe(one)
    })

    test('ends with its dataset, which is deleted meanwhile', async () => {
      const results = await race<unknown, unknown>(db(), {
        first: gated => runBulkJob(gated(me), payload()),
        second: () => deleteDataset(inProcess(place.owner, other), dataset.id),
      })
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect(await runBulkJob(me, payload())).toBeNull()
    })
  })
})
