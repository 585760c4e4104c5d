/** Background jobs for owners, and their events for open pages. */
import { setTimeout } from 'node:timers/promises'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { JobDetails, JobPage } from '@postil/domain/jobs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aDataset, aRecord, SMALL, submitted } from './datasets.ts'
import { readEvents } from './event-reader.ts'
import { openWorld, type World } from './http.ts'
import { aBulkJob } from './route-cases-bulk-jobs.ts'
import { aFailedJob, aWaitingJob, changeJobs } from './route-cases-jobs.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const listed = async (query = '') => (await world.owner.done<JobPage>(`GET /jobs${query}`)).items
const find = async (id: string) => (await listed()).find(job => job.id === id)
const statusOf = async (id: string) => (await find(id))?.status

describe('owners', () => {
  test('see what jobs there are, of which dataset, and how far they are', async () => {
    const { id, dataset_id } = await aBulkJob(world)
    await expect.poll(() => statusOf(id)).toBe('finished')
    expect(await find(id)).toEqual({
      id,
      name: 'bulk-responses',
      status: 'finished',
      attempts: expect.any(Number),
      error: null,
      progress: { done: 1, total: 1 },
      skipped: null,
      dataset_id,
      dataset_name: expect.any(String),
      actor: { id: expect.any(String), username: expect.any(String) },
      run_at: expect.any(String),
      inserted_at: expect.any(String),
      updated_at: expect.any(String),
      finished_at: expect.any(String),
    })
  })

  test('find jobs that were given up, and run them again', async () => {
    const id = await aFailedJob(world)
    const failures = await listed('?status=failed&name=purge-dataset')
    expect(new Set(failures.map(({ status, name }) => `${status} ${name}`))).toEqual(new Set(['failed purge-dataset']))
    expect(await listed('?status=failed&name=purge-dataset&limit=1')).toHaveLength(1)
    const failed = failures.find(job => job.id === id)
    const shown = { id, status: 'failed', attempts: 4, error: 'a fault of the test', progress: { done: 200, total: 1000 } }
    expect(failed).toMatchObject(shown)
    const again = await world.owner.done<JobDetails>(`POST /jobs/${id}/retry`)
    expect(again).toMatchObject({ id, status: 'queued', attempts: 0, error: null, finished_at: null })
    await expect.poll(() => statusOf(id)).toBe('finished')
    const late = await world.owner.send(`POST /jobs/${id}/retry`)
    expect([late.status, late.body]).toEqual([
      409,
      { detail: 'The job is finished; only a failed job can be run again', code: 'conflict' },
    ])
  })

  test('cancel a bulk job of somebody else, who sees it', async () => {
    const id = await aWaitingJob(world, world.memberAnnotator)
    expect(await world.owner.done(`POST /jobs/${id}/cancel`)).toMatchObject({ id, status: 'canceled' })
    expect(await world.memberAnnotator.done(`GET /me/bulk-jobs/${id}`)).toMatchObject({ status: 'canceled' })
    expect(await world.owner.done(`GET /jobs/${id}`)).toEqual({ id, status: 'canceled' })
  })

  test('cannot cancel what would stay half done, nor run a failed bulk job again, and are told why', async () => {
    const purge = await aFailedJob(world)
    const soon = new Date(Date.now() + 50_000).toISOString().slice(0, 23)
    await changeJobs(world, "update jobs set status = 'queued', run_at = ? where id = ?", [soon, purge])
    const canceled = await world.owner.send<{ detail: string }>(`POST /jobs/${purge}/cancel`)
    expect([canceled.status, canceled.body.detail]).toEqual([422, expect.stringContaining('cannot be canceled: records of')])
    const bulk = await aWaitingJob(world)
    await changeJobs(world, "update jobs set status = 'failed' where id = ?", [bulk])
    const again = await world.owner.send<{ detail: string }>(`POST /jobs/${bulk}/retry`)
    expect([again.status, again.body.detail]).toEqual([422, expect.stringContaining('Start a new bulk job')])
  })
})

test('the pages of the user who asked for a bulk job are told when it ends; those of others are not', async () => {
  const dataset = await aDataset(world, SMALL)
  const record = await aRecord(world, dataset)
  const mine = await readEvents(world.server.url, world.memberAnnotator, dataset.id)
  const others = await readEvents(world.server.url, world.owner, dataset.id)
  try {
    for (const reader of [mine, others]) await reader.waitFor('progress')
    // The writer thread registers event readers with a short delay.
    await setTimeout(100)
    const body = { query: {}, action: { type: 'respond', ...submitted() }, expected_total: 1 }
    const { id } = await world.memberAnnotator.done<BulkJob>(`POST /me/datasets/${dataset.id}/responses/by-filter`, body)
    await mine.waitFor('job', data => data.status === 'finished')
    const told = mine.events.filter(({ name }) => name === 'job').map(({ data }) => data)
    expect(told).toEqual(['started', 'finished'].map(status => ({ id, status })))
    // All readers receive this later event, so earlier ones have arrived.
    await world.owner.done(`POST /records/${record.id}/comments`, { body: 'Why?' })
    await others.waitFor('comment')
    expect(others.events.filter(({ name }) => name === 'job')).toEqual([])
  } finally {
    for (const reader of [mine, others]) reader.close()
  }
})
