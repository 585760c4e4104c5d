/** Job management by owners: list, retry, cancel. */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { JobStatus } from '@postil/domain/jobs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { JOBS, type JobName, OWNER_RULES } from '../../jobs/all.ts'
import type { Database } from '../../storage/database.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { inProcess, race } from '../../testing/processes.ts'
import { startBulkJob } from '../bulk-jobs/create.ts'
import { getBulkJob } from '../bulk-jobs/read.ts'
import { runBulkJob } from '../bulk-jobs/run.ts'
import { addBulkDataset, addRecords, plain, respond, runJobs } from '../bulk-jobs/testing/bulk.ts'
import { cancelJob } from './cancel.ts'
import { listJobs } from './list.ts'
import { retryJob } from './retry.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const NAMES = Object.keys(JOBS) as JobName[]

eachDatabase((db, openAnother) => {
  let other: Database
  let owner: RequestContext
  let me: RequestContext
  let workspaceId: string
  beforeAll(async () => {
    other = openAnother()
    const ctx = inProcess(opened, db())
    owner = await actAs(ctx, 'owner')
    workspaceId = await addWorkspace(ctx)
    me = await actAs(ctx, 'annotator', [workspaceId])
  })
  afterAll(() => other.close())
  beforeEach(() => db().sql.run('delete from jobs'))

  interface Given {
    name?: string
    status?: JobStatus
    payload?: object
  }
  const add = async ({ name = 'purge-dataset', status = 'queued', payload = {} }: Given = {}) => {
    const [id, now] = [opened.newId(), opened.now()]
    const times = { run_at: now, inserted_at: now, updated_at: now, finished_at: status === 'failed' ? now : null }
    const error = status === 'failed' ? 'a fault of the test' : null
    const row = { id, name, payload: JSON.stringify(payload), status, attempts: status === 'failed' ? 4 : 0, error, ...times }
    await db().kysely.insertInto('jobs').values(row).execute()
    return id
  }
  const addBulk = async (records = 150): Promise<BulkJob> => {
    const dataset = await addBulkDataset({ owner, workspaceId })
    const record_ids = await addRecords({ owner, workspaceId }, dataset, plain(records))
    const request = { record_ids, action: respond(), expected_total: records }
    return startBulkJob(me, { dataset_id: dataset.id, request, record_nos: null })
  }
  const only = async () => (await listJobs(owner, {})).items[0]

  describe('the list', () => {
    test('has the newest first, page by page, each job once', async () => {
      const ids: string[] = []
      for (let i = 0; i < 5; i++) ids.push(await add())
      const pages: string[][] = []
      let before: string | null | undefined
      while (before !== null) {
        const page = await listJobs(owner, { limit: 2, ...(before && { before }) })
        pages.push(page.items.map(({ id }) => id))
        before = page.next
      }
      const newest = ids.toReversed()
      expect(pages).toEqual([newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)])
      expect((await listJobs(owner, { limit: 5 })).next).toBeNull()
    })

    test.each([
      { query: { status: 'failed' }, listed: ['purge-user', 'purge-dataset'] },
      { query: { name: 'purge-dataset' }, listed: ['purge-dataset', 'purge-dataset'] },
      { query: { status: 'failed', name: 'purge-dataset' }, listed: ['purge-dataset'] },
      { query: { name: "x' or 1=1 --" }, listed: [] },
    ] as const)('of $query', async ({ query, listed }) => {
      await add()
      await add({ status: 'failed' })
      await add({ name: 'purge-user', status: 'failed' })
      expect((await listJobs(owner, query)).items.map(({ name }) => name)).toEqual(listed)
    })

    test.each([
      { given: { payload: { dataset_id: 'd', done: 200, total: 1000 } }, shown: { done: 200, total: 1000 } },
      { given: { payload: { done: 200 } }, shown: { done: 200, total: null } },
      { given: { payload: { dataset_id: 'd' } }, shown: null },
      { given: { payload: { done: 200, total: 250 }, status: 'finished' }, shown: { done: 250, total: 250 } },
    ] as const)('tells how far a job with $given is', async ({ given, shown }) => {
      await add(given)
      expect((await only())?.progress).toEqual(shown)
    })

    test('tells how far a bulk job is, and of which dataset', async () => {
      const { id, dataset_id } = await addBulk()
      await runBulkJob(me, { bulk_job_id: id })
      const shown = { id, name: 'bulk-responses', status: 'queued', dataset_id, progress: { done: 100, total: 150 } }
      expect(await only()).toMatchObject(shown)
    })

    test('tells why a job failed', async () => {
      await add({ status: 'failed' })
      expect(await only()).toMatchObject({ status: 'failed', attempts: 4, error: 'a fault of the test', dataset_id: null })
    })
  })

  describe('a job is run again', () => {
    test('from where it failed, and is done', async () => {
      const dataset_id = opened.newId()
      const id = await add({ status: 'failed', payload: { dataset_id, done: 200, total: 200 } })
      const before = opened.notices.length
      const queued = { id, status: 'queued', attempts: 0, error: null, finished_at: null, progress: { done: 200, total: 200 } }
      expect(await retryJob(owner, id)).toMatchObject(queued)
      const told = { name: 'job', dataset_id, user_id: null, data: { id, status: 'queued' } }
      expect(opened.notices.slice(before)).toEqual([told])
      await runJobs(owner)
      expect((await only())?.status).toBe('finished')
    })

    test.each(['queued', 'started', 'finished', 'canceled'] as const)('unless it is %s', async status => {
      const id = await add({ status })
      const message = `The job is ${status}; only a failed job can be run again`
      await expect(retryJob(owner, id)).rejects.toMatchObject({ code: 'conflict', message })
      expect((await only())?.status).toBe(status)
    })

    test.each(NAMES)('if %s allows it', async name => {
      const id = await add({ name, status: 'failed' })
      const { noRetry } = OWNER_RULES[name]
      if (noRetry === null) expect((await retryJob(owner, id)).status).toBe('queued')
      else await expect(retryJob(owner, id)).rejects.toMatchObject({ code: 'unprocessable', message: noRetry })
      expect((await only())?.status).toBe(noRetry === null ? 'queued' : 'failed')
    })

    test('unless this release does not know its name', async () => {
      const id = await add({ name: 'toString', status: 'failed' })
      await expect(retryJob(owner, id)).rejects.toMatchObject({ code: 'unprocessable' })
    })
  })

  describe('a job is canceled', () => {
    test('for whoever asked for it: what it has done stays', async () => {
      const { id, dataset_id } = await addBulk()
      await runBulkJob(me, { bulk_job_id: id })
      const before = opened.notices.length
      const canceled = { id, status: 'canceled', progress: { done: 100, total: 150 }, finished_at: expect.any(String) }
      expect(await cancelJob(owner, id)).toMatchObject(canceled)
      const told = { name: 'job', dataset_id, user_id: me.actor.id, data: { id, status: 'canceled' } }
      expect(opened.notices.slice(before)).toEqual([told])
      await runJobs(owner)
      expect(await getBulkJob(me, id)).toMatchObject({ status: 'canceled', done: 100, finished_at: expect.any(String) })
      expect(await cancelJob(owner, id)).toMatchObject(canceled)
    })

    test('after the piece that another process runs, whose records are counted', async () => {
      const { id } = await addBulk()
      await race(db(), {
        first: gated => runBulkJob(gated(me), { bulk_job_id: id }),
        second: () => cancelJob(inProcess(owner, other), id),
      })
      expect(await getBulkJob(me, id)).toMatchObject({ status: 'canceled', done: 100 })
      expect(await runBulkJob(me, { bulk_job_id: id })).toBeNull()
    })

    test.each(['finished', 'failed'] as const)('unless it is %s', async status => {
      const id = await add({ status })
      await expect(cancelJob(owner, id)).rejects.toMatchObject({ code: 'conflict' })
      expect((await only())?.status).toBe(status)
    })

    test.each(NAMES)('if %s allows it', async name => {
      const id = await add({ name })
      const { cancel } = OWNER_RULES[name]
      const isRefused = typeof cancel === 'string'
      if (isRefused) await expect(cancelJob(owner, id)).rejects.toMatchObject({ code: 'unprocessable', message: cancel })
      else expect((await cancelJob(owner, id)).status).toBe('canceled')
      expect((await only())?.status).toBe(isRefused ? 'queued' : 'canceled')
    })
  })
})
