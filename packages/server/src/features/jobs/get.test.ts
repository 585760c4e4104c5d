import type { Role } from '@postil/domain/users'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { addAnsweredDataset } from '../users/testing/records.ts'
import { getJob } from './get.ts'

let ctx: TestContext
let workspaceId: string
beforeAll(async () => {
  ctx = await openTestContext()
  workspaceId = await addWorkspace(ctx)
  await addAnsweredDataset(ctx.db, { id: 'theirs', workspaceId, minSubmitted: 1, records: [] })
})
afterAll(() => ctx.close())

const JOBS: Record<string, () => Promise<string>> = {
  'of a dataset': async () => {
    const id = ctx.newId()
    await enqueue(ctx.db, { id, now: ctx.now(), name: 'recompute-status', payload: { dataset_id: 'theirs', after: 0 } })
    return id
  },
  'of many responses': async () => {
    const id = ctx.newId()
    await enqueue(ctx.db, { id, now: ctx.now(), name: 'bulk-responses', payload: { bulk_job_id: id } })
    const { actor } = await actAs(ctx, 'annotator')
    const counts = { total: 0, done: 0, failed: 0, undone: 0 }
    const words = { type: 'respond', request: '{}', status: 'queued', failures: '[]', inserted_at: ctx.now() }
    await ctx.db.kysely
      .insertInto('bulk_jobs')
      .values({ id, dataset_id: 'theirs', user_id: actor.id, ...words, ...counts })
      .execute()
    return id
  },
  'of a dataset that is gone': async () => {
    const id = ctx.newId()
    await enqueue(ctx.db, { id, now: ctx.now(), name: 'purge-dataset', payload: { dataset_id: ctx.newId() } })
    return id
  },
  'of no dataset': async () => {
    const id = ctx.newId()
    await enqueue(ctx.db, { id, now: ctx.now(), name: 'purge-vectors', payload: { vectors_settings_no: 1 } })
    return id
  },
}

const asking = (role: Role, place: 'inside' | 'outside'): Promise<RequestContext> =>
  actAs(ctx, role, place === 'inside' ? [workspaceId] : [])

describe.each([
  { job: 'of a dataset', told: ['owner outside', 'admin inside'] },
  { job: 'of many responses', told: ['owner outside', 'admin inside'] },
  { job: 'of a dataset that is gone', told: ['owner outside'] },
  { job: 'of no dataset', told: ['owner outside'] },
])('a job $job', ({ job, told }) => {
  test.each([
    ['owner', 'outside'],
    ['admin', 'inside'],
    ['admin', 'outside'],
    ['annotator', 'inside'],
  ] as const)('for an %s %s the workspace', async (role, place) => {
    const id = (await JOBS[job]?.()) ?? ''
    const answer = getJob(await asking(role, place), id)
    if (told.includes(`${role} ${place}`)) expect(await answer).toEqual({ id, status: 'queued' })
    else await expect(answer).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test.each(['owner', 'annotator'] as const)('a job that does not exist is missing, even for an %s', async role => {
  await expect(getJob(await actAs(ctx, role), 'any text')).rejects.toMatchObject({ code: 'not_found' })
})
