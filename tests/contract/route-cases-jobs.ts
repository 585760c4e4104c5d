/** Cases of the owners' routes for background jobs. */

import { expect, vi } from 'vitest'
import { runRows } from '../databases/rows.ts'
import type { Caller, World } from './http.ts'
import { OWNER_FIRST, type RouteCases } from './route-case.ts'
import { aBulkJob } from './route-cases-bulk-jobs.ts'

/** Writes rows directly to the database, because no route makes a job fail or wait. */
export async function changeJobs({ server }: World, text: string, params: string[]): Promise<void> {
  await runRows(server, text, params)
}

/** Creates a failed job that purges a deleted dataset. */
export async function aFailedJob(world: World): Promise<string> {
  const id = crypto.randomUUID()
  const now = new Date().toISOString().slice(0, 23)
  const payload = JSON.stringify({ dataset_id: crypto.randomUUID(), done: 200, total: 1000 })
  await changeJobs(
    world,
    `insert into jobs (id, name, payload, status, attempts, run_at, error, inserted_at, updated_at, finished_at)
     values (?, 'purge-dataset', ?, 'failed', 4, ?, 'a fault of the test', ?, ?, ?)`,
    [id, payload, now, now, now, now],
  )
  return id
}

/**
 * Creates a queued bulk job that does not run during the test. A finished job is requeued, because a running one would finish.
 */
export async function aWaitingJob(world: World, by: Caller = world.owner): Promise<string> {
  const { id } = await aBulkJob(world, by)
  const hasEnded = async () => expect(await world.owner.done(`GET /jobs/${id}`)).toMatchObject({ status: 'finished' })
  await vi.waitFor(hasEnded, { timeout: 20_000, interval: 20 })
  const soon = new Date(Date.now() + 50_000).toISOString().slice(0, 23)
  await changeJobs(world, "update jobs set status = 'queued', run_at = ?, finished_at = null where id = ?", [soon, id])
  await changeJobs(world, "update bulk_jobs set status = 'queued', done = 0, finished_at = null where id = ?", [id])
  return id
}

export const jobCases: Record<string, RouteCases> = {
  listJobs: {
    request: async world => {
      await aFailedJob(world)
      return { query: 'status=failed&limit=2' }
    },
    permission: OWNER_FIRST,
    invalid: [
      {
        query: 'status=broken&limit=101',
        problems: [
          ['enum', 'query', 'status'],
          ['less_than_equal', 'query', 'limit'],
        ],
      },
      { query: 'limit=0', problems: [['greater_than_equal', 'query', 'limit']] },
      {
        query: `name=&before=${'x'.repeat(101)}`,
        problems: [
          ['string_too_short', 'query', 'name'],
          ['string_too_long', 'query', 'before'],
        ],
      },
    ],
  },
  retryJob: { request: async world => ({ params: { job_id: await aFailedJob(world) } }), permission: OWNER_FIRST },
  cancelJob: { request: async world => ({ params: { job_id: await aWaitingJob(world) } }), permission: OWNER_FIRST },
}
