/** Several processes run jobs on one database, and one of them is killed. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { later, openClock } from '../lib/clock.ts'
import { describeOnPostgres } from '../processes/testing/on-postgres.ts'
import type { Database } from '../storage/database.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { inProcess } from '../testing/processes.ts'
import { enqueue } from './queue.ts'
import { openJobRunner } from './worker.ts'

const WORKERS = 6
const JOBS = 60

describeOnPostgres('jobs of many workers', ({ db, openAnother }) => {
  let ctx: TestContext
  const handles: Database[] = []
  beforeAll(async () => {
    ctx = await openTestContext()
    for (let i = 0; i < WORKERS; i++) handles.push(openAnother())
  })
  afterAll(async () => {
    for (const handle of handles) await handle.close()
    await ctx.close()
  })
  beforeEach(async () => {
    await db().sql.run('delete from jobs')
  })
  const add = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const id = ctx.newId()
      await enqueue(db(), { id, now: ctx.now(), name: 'purge-dataset', payload: { dataset_id: id } })
    }
  }
  /** Returns a worker and the ids of the jobs that it has finished. */
  const openWorker = (handle: Database, seconds = 0) => {
    const ended: string[] = []
    const clock = openClock()
    const own: Context = {
      ...inProcess(ctx, handle),
      now: () => later(clock(), seconds),
      subscribers: [
        {
          tell: (_ctx, { notices }) => {
            for (const told of notices) if (told.name === 'job' && told.data.status === 'finished') ended.push(told.data.id)
          },
        },
      ],
    }
    return { runner: openJobRunner(own), ended }
  }
  const statuses = () => db().sql.all('select status, count(*) as jobs from jobs group by status')

  test('are done once each', async () => {
    await add(JOBS)
    const workers = handles.map(handle => openWorker(handle))
    await Promise.all(
      workers.map(async ({ runner }) => {
        while (await runner.step());
      }),
    )
    const ended = workers.flatMap(worker => worker.ended)
    expect([ended.length, new Set(ended).size]).toEqual([JOBS, JOBS])
    expect(await statuses()).toEqual([{ status: 'finished', jobs: JOBS }])
    // More than one worker has finished jobs.
    expect(workers.filter(worker => worker.ended.length > 0).length).toBeGreaterThan(1)
  })

  test('that a killed worker had taken are done by others when its lease has ended, and not before', async () => {
    await add(1)
    // Simulates a worker that was killed between claiming the job and its first step.
    await db().sql.run("update jobs set status = 'started', leased_until = ?", [later(ctx.now(), 30)])
    const [first = db(), second = db()] = handles
    expect(await openWorker(first).runner.step()).toBe(false)
    expect(await statuses()).toEqual([{ status: 'started', jobs: 1 }])
    const late = [openWorker(first, 31), openWorker(second, 31)]
    await Promise.all(late.map(({ runner }) => runner.step()))
    expect(late.flatMap(({ ended }) => ended).length).toBe(1)
    expect(await statuses()).toEqual([{ status: 'finished', jobs: 1 }])
  })
})
