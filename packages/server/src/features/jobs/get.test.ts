import { afterAll, beforeAll, expect, test } from 'vitest'
import { enqueue } from '../../jobs/queue.ts'
import { actAs, openTestContext, type TestContext } from '../../testing/context.ts'
import { getJob } from './get.ts'

let ctx: TestContext
let jobId: string
beforeAll(async () => {
  ctx = await openTestContext()
  jobId = ctx.newId()
  await enqueue(ctx.db, { id: jobId, now: ctx.now(), name: 'purge-dataset', payload: { dataset_id: ctx.newId() } })
})
afterAll(() => ctx.close())

test.each([
  { role: 'owner', outcome: 'told' },
  { role: 'admin', outcome: 'told' },
  { role: 'annotator', outcome: 'forbidden' },
] as const)('an $role who asks for a job is $outcome', async ({ role, outcome }) => {
  const asking = getJob(await actAs(ctx, role), jobId)
  if (outcome === 'told') expect(await asking).toEqual({ id: jobId, status: 'queued' })
  else await expect(asking).rejects.toMatchObject({ code: outcome })
})

test.each(['owner', 'annotator'] as const)('a job that does not exist is missing, even for an %s', async role => {
  await expect(getJob(await actAs(ctx, role), 'any text')).rejects.toMatchObject({ code: 'not_found' })
})
