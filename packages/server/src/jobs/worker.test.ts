import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../context.ts'
import { getBulkJob } from '../features/bulk-jobs/read.ts'
import { addBulkDataset, addRecords, askForBulk, type BulkDataset, plain, respond } from '../features/bulk-jobs/testing/bulk.ts'
import { openTestTeam, type TestTeam } from '../features/datasets/testing/datasets.ts'
import { getJob } from '../features/jobs/get.ts'
import { later } from '../lib/clock.ts'
import type { SqliteHandle } from '../storage/sqlite.ts'
import { enqueue } from './queue.ts'
import { openJobRunner } from './worker.ts'

const PIECES = 5

let team: TestTeam
let me: RequestContext
let dataset: BulkDataset
let jobId: string
/** Seconds since the start of the test, by a clock that only the test advances. */
let seconds = 0
beforeEach(async () => {
  team = await openTestTeam()
  seconds = 0
  const start = team.ctx.now()
  me = { ...team.annotator, now: () => later(start, seconds) }
  dataset = await addBulkDataset(team)
  await addRecords(team, dataset, plain(PIECES * 100))
  const request = { query: {}, response_status: 'pending', action: respond(), expected_total: PIECES * 100 } as const
  jobId = (await askForBulk(me, dataset.id, request)).id
  // While `faults` has a row, every step of the job fails.
  const { raw } = team.ctx.db as SqliteHandle
  raw.exec(`create table faults (number integer);
    create trigger faulty before insert on responses when exists (select 1 from faults) begin
      select raise(abort, 'a fault of the test');
    end`)
})
afterEach(() => team.ctx.close())

const sql = (text: string, params: string[] = []) => team.ctx.db.sql.run(text, params)
const breakPieces = () => sql('insert into faults values (1)')
const mendPieces = () => sql('delete from faults')
const jobRow = () => team.ctx.db.sql.get('select status, attempts, error, run_at from jobs where id = ?', [jobId])
const pieces = async () => (await team.ctx.db.sql.all('select position from bulk_job_pieces where job_id = ?', [jobId])).length

describe('a job that fails', () => {
  test('between pieces that succeed is not given up, however often', async () => {
    const runner = openJobRunner(me)
    for (let piece = 1; piece <= PIECES; piece++) {
      await breakPieces()
      expect(await runner.step()).toBe(true)
      expect(await jobRow()).toMatchObject({ status: 'queued', attempts: 1 })
      await mendPieces()
      // The job is not retried before its pause is over.
      expect(await runner.step()).toBe(false)
      seconds += 2
      expect(await runner.step()).toBe(true)
    }
    expect(await getBulkJob(me, jobId)).toMatchObject({ status: 'finished', done: PIECES * 100, failed: 0 })
  })

  test('four times at the same piece is given up, and its owner sees it', async () => {
    const runner = openJobRunner(me)
    await runner.step()
    await breakPieces()
    for (const pause of [1, 10, 60]) {
      expect(await runner.step()).toBe(true)
      expect((await getJob(team.owner, jobId)).status).toBe('queued')
      seconds += pause + 1
    }
    expect(await runner.step()).toBe(true)
    expect(await jobRow()).toMatchObject({ status: 'failed', error: 'a fault of the test' })
    expect(await getJob(team.owner, jobId)).toEqual({ id: jobId, status: 'failed' })
    expect(await getBulkJob(me, jobId)).toMatchObject({ status: 'failed', done: 100, finished_at: expect.any(String) })
    expect(await pieces()).toBe(0)
    expect(await team.ctx.db.sql.get('select status from bulk_jobs where id = ?', [jobId])).toEqual({ status: 'failed' })
  })

  test('because the database is full waits until it is not, behind other jobs, and no attempt counts', async () => {
    const runner = openJobRunner(me)
    await runner.step()
    const { raw } = team.ctx.db as SqliteHandle
    const pages = raw.pragma('page_count', { simple: true })
    raw.pragma(`max_page_count = ${pages}`)
    let failures = 0
    const stepOnce = () => runner.step().catch(() => void failures++)
    // Free pages may allow some steps to succeed.
    for (let i = 0; i < 20; i++) await stepOnce()
    expect(failures).toBeGreaterThan(8)
    const other = me.newId()
    raw.pragma('max_page_count = 1000000')
    await enqueue(team.ctx.db, {
      id: other,
      now: '2020-01-01T00:00:00.000001',
      name: 'purge-dataset',
      payload: { dataset_id: other },
    })
    raw.pragma(`max_page_count = ${raw.pragma('page_count', { simple: true })}`)
    await stepOnce()
    expect((await getJob(team.owner, other)).status).toBe('finished')
    raw.pragma('max_page_count = 1000000')
    while (await runner.step());
    expect(await getBulkJob(me, jobId)).toMatchObject({ status: 'finished', done: PIECES * 100 })
  })
})

describe('jobs take turns', () => {
  const addPurge = async () => {
    const id = me.newId()
    await enqueue(team.ctx.db, { id, now: me.now(), name: 'purge-dataset', payload: { dataset_id: id } })
    return id
  }
  const statusOf = async (id: string) => (await getJob(team.owner, id)).status

  test('a short one does not wait for the end of a long one', async () => {
    const runner = openJobRunner(me)
    await runner.step()
    const short = await addPurge()
    await runner.step()
    await runner.step()
    expect([await statusOf(short), await pieces()]).toEqual(['finished', PIECES - 2])
    while (await runner.step());
    expect(await getBulkJob(me, jobId)).toMatchObject({ status: 'finished', done: PIECES * 100, failed: 0 })
  })

  test('more than may be taken at once are all done', async () => {
    const others: string[] = []
    for (let i = 0; i < 20; i++) others.push(await addPurge())
    const runner = openJobRunner(me)
    let steps = 0
    while (await runner.step()) steps++
    expect(steps).toBe(PIECES + others.length)
    expect(await Promise.all([jobId, ...others].map(statusOf))).toEqual(Array(21).fill('finished'))
  })

  test('one whose lease ended while the process stood still is not done twice', async () => {
    const runner = openJobRunner(me)
    await runner.step()
    seconds += 3_600
    let steps = 1
    while (await runner.step()) steps++
    expect(steps).toBe(PIECES)
    expect(await getBulkJob(me, jobId)).toMatchObject({ status: 'finished', done: PIECES * 100, failed: 0 })
  })
})

describe('a worker that is stopped', () => {
  test('gives back the jobs that it has taken, so that another one goes on at once', async () => {
    const stopped = openJobRunner(me)
    await stopped.step()
    expect(await jobRow()).toMatchObject({ status: 'started', attempts: 0 })
    await stopped.release()
    expect(await jobRow()).toMatchObject({ status: 'queued', attempts: 0, error: null })
    const other = openJobRunner(me)
    let steps = 1
    while (await other.step()) steps++
    expect(steps).toBe(PIECES)
    expect(await getBulkJob(me, jobId)).toMatchObject({ status: 'finished', done: PIECES * 100, failed: 0 })
  })
})

describe('attempts', () => {
  test('count when the first piece begins, not when a job is taken', async () => {
    const others: string[] = []
    for (let i = 0; i < 3; i++) {
      const id = me.newId()
      others.push(id)
      await enqueue(team.ctx.db, { id, now: me.now(), name: 'purge-dataset', payload: { dataset_id: id } })
    }
    const runner = openJobRunner(me)
    for (let i = 0; i < 3; i++) await runner.step()
    const rows = await team.ctx.db.sql.all('select status, attempts from jobs order by id')
    expect(rows).toEqual([
      { status: 'started', attempts: 0 },
      { status: 'finished', attempts: 1 },
      { status: 'started', attempts: 0 },
      { status: 'queued', attempts: 0 },
    ])
  })

  test('of a job that is canceled after it was taken do not begin', async () => {
    const runner = openJobRunner(me)
    await runner.step()
    const id = me.newId()
    await enqueue(team.ctx.db, { id, now: me.now(), name: 'purge-dataset', payload: { dataset_id: dataset.id } })
    await runner.step()
    await sql("update jobs set status = 'canceled' where id = ?", [id])
    while (await runner.step());
    expect(await team.ctx.db.sql.get('select status, attempts from jobs where id = ?', [id])).toEqual({
      status: 'canceled',
      attempts: 0,
    })
    expect(await team.ctx.db.sql.get('select count(*) as size from records')).toEqual({ size: PIECES * 100 })
  })
})

describe('open pages', () => {
  test('of the user who asked for it are told when a bulk job starts and ends', async () => {
    const runner = openJobRunner(me)
    while (await runner.step());
    const told = team.ctx.notices.filter(({ name }) => name === 'job')
    const to = { name: 'job', dataset_id: dataset.id, user_id: me.actor.id }
    expect(told).toEqual(['started', 'finished'].map(status => ({ ...to, data: { id: jobId, status } })))
  })
})

describe('a job that was left by a server that stopped', () => {
  test.each([
    { attempts: 3, outcome: 'finished' },
    { attempts: 4, outcome: 'failed' },
  ])('after $attempts attempts without progress has $outcome', async ({ attempts, outcome }) => {
    await sql(`update jobs set status = 'started', attempts = ${attempts}, leased_until = '2099-01-01' where id = ?`, [jobId])
    const other = me.newId()
    await enqueue(team.ctx.db, { id: other, now: me.now(), name: 'purge-dataset', payload: { dataset_id: me.newId() } })
    const runner = openJobRunner(me)
    while (await runner.step());
    expect((await getJob(team.owner, jobId)).status).toBe(outcome)
    expect((await getBulkJob(me, jobId)).status).toBe(outcome)
    expect(await pieces()).toBe(0)
    if (outcome === 'failed') expect(await jobRow()).toMatchObject({ error: expect.stringContaining('Begun 4 times') })
    expect((await getJob(team.owner, other)).status).toBe('finished')
  })
})

describe('after the clock was set back', () => {
  test.each([
    { status: 'queued', run_at: 30, leased_until: null, isRun: false },
    { status: 'queued', run_at: 90, leased_until: null, isRun: true },
    { status: 'started', run_at: 0, leased_until: 30, isRun: false },
    { status: 'started', run_at: 0, leased_until: 300, isRun: true },
  ])(
    'a $status job due in $run_at s and leased for $leased_until s is run: $isRun',
    async ({ status, run_at, leased_until, isRun }) => {
      const runner = openJobRunner(me)
      // The first step releases all leases, so the job is set up only after it.
      await sql("update jobs set status = 'canceled' where id = ?", [jobId])
      expect(await runner.step()).toBe(false)
      const now = me.now()
      const lease = leased_until === null ? "''" : `'${later(now, leased_until)}'`
      await sql(`update jobs set status = '${status}', run_at = '${later(now, run_at)}', leased_until = ${lease} where id = ?`, [
        jobId,
      ])
      expect(await runner.step()).toBe(isRun)
    },
  )
})
