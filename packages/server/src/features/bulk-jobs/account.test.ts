/** Bulk jobs of users who are deactivated or deleted while the job runs. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { openJobRunner } from '../../jobs/worker.ts'
import { actAs } from '../../testing/context.ts'
import { openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { deactivateUser, reactivateUser } from '../users/deactivate.ts'
import { deleteUser } from '../users/delete.ts'
import { getBulkJob } from './read.ts'
import { addBulkDataset, addRecords, askForBulk, type BulkDataset, plain, respond, runJobs } from './testing/bulk.ts'

let team: TestTeam
let me: RequestContext
let dataset: BulkDataset
beforeAll(async () => {
  team = await openTestTeam()
})
beforeEach(async () => {
  dataset = await addBulkDataset(team)
  me = await actAs(team.ctx, 'annotator', [team.workspaceId])
})
afterAll(() => team.ctx.close())

/** Starts a job for 150 records and runs its first batch of 100. */
async function beginJob() {
  await addRecords(team, dataset, plain(150))
  const job = await askForBulk(me, dataset.id, { query: {}, action: respond(), expected_total: 150 })
  await openJobRunner(me).step()
  return job
}

const countResponses = async () =>
  (await team.ctx.db.sql.get<{ size: number }>('select count(*) as size from responses where user_id = ?', [me.actor.id]))?.size

test('a job of a deactivated user writes nothing more, and what it wrote stays', async () => {
  const { id } = await beginJob()
  await deactivateUser(team.owner, me.actor.id)
  await runJobs(me)
  await reactivateUser(team.owner, me.actor.id)
  expect(await getBulkJob(me, id)).toMatchObject({ status: 'finished', done: 100, failed: 50 })
  expect(await countResponses()).toBe(100)
})

test('a job of a user who becomes a pseudonym ends, and what it wrote stays', async () => {
  const { id } = await beginJob()
  await deleteUser(team.owner, me.actor.id, 'keep')
  await runJobs(me)
  await expect(getBulkJob(me, id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await countResponses()).toBe(100)
  expect(await team.ctx.db.sql.column('select status from jobs where id = ?', [id])).toEqual(['finished'])
})
