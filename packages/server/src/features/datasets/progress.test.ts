import { afterAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs } from '../../testing/context.ts'
import { createResponse } from '../responses/write.ts'
import { getDataset } from './get.ts'
import { getMyDatasetMetrics } from './get-my-metrics.ts'
import { getDatasetProgress } from './get-progress.ts'
import { getDatasetUsersProgress } from './get-users-progress.ts'
import { recomputeStatus } from './recompute-status.ts'
import { addDraft, addPublished, addRecords, addResponse, openTestTeam } from './testing/datasets.ts'
import { updateDataset } from './update.ts'
import { watchDataset } from './watch.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

test('a draft has no progress', async () => {
  const { id } = await addDraft(team)
  expect(await getDatasetProgress(team.annotator, id)).toEqual({ total: 0, completed: 0, pending: 0, users: [] })
  expect(await getDatasetUsersProgress(team.annotator, id)).toEqual({ users: [] })
  expect(await getMyDatasetMetrics(team.annotator, id)).toEqual({
    records: { count: 0 },
    responses: { count: 0, total: 0, submitted: 0, discarded: 0, draft: 0, pending: 0 },
  })
})

test('progress counts records and responses, each user’s own', async () => {
  const { id } = await addPublished(team)
  const [younger, admin] = [await actAs(team.ctx, 'annotator', [team.workspaceId]), team.admin]
  const [first, second, third] = await addRecords(team.ctx, id, [null, null, null, null])
  if (!first || !second || !third) throw new Error('no records')
  await addResponse(younger, first)
  await addResponse(younger, third, 'draft')
  await addResponse(admin, first, 'draft')
  await addResponse(admin, second, 'discarded')
  await recomputeStatus(team.ctx, { dataset_id: id, after: 0 })

  expect(await getDatasetProgress(team.annotator, id)).toEqual({
    total: 4,
    completed: 1,
    pending: 3,
    // In the order of the first responses.
    users: [{ username: younger.actor.username }, { username: admin.actor.username }],
  })
  // In the order of account creation.
  expect(await getDatasetUsersProgress(team.annotator, id)).toEqual({
    users: [
      {
        username: admin.actor.username,
        completed: { submitted: 0, discarded: 0, draft: 1 },
        pending: { submitted: 0, discarded: 1, draft: 0 },
      },
      {
        username: younger.actor.username,
        completed: { submitted: 1, discarded: 0, draft: 0 },
        pending: { submitted: 0, discarded: 0, draft: 1 },
      },
    ],
  })
  expect(await getMyDatasetMetrics(admin, id)).toEqual({
    records: { count: 4 },
    responses: { count: 2, total: 4, submitted: 0, discarded: 1, draft: 1, pending: 2 },
  })
  expect((await getMyDatasetMetrics(team.annotator, id)).responses).toMatchObject({ count: 0, total: 4, pending: 4 })
})

test('what is left for a person is without their response and not completed by others', async () => {
  const { id } = await addPublished(team)
  await updateDataset(team.owner, id, { distribution: { strategy: 'overlap', min_submitted: 2 } })
  const [first, second, third] = await addRecords(team.ctx, id, [null, null, null, null])
  if (!first || !second || !third) throw new Error('no records')
  const left = async (ctx: RequestContext) => {
    const { metrics } = await getDataset(ctx, id, ['metrics'])
    const { responses } = await getMyDatasetMetrics(ctx, id)
    expect((await watchDataset(ctx, id)).metrics).toEqual(metrics)
    expect(metrics?.responses).toEqual(responses)
    return [metrics?.pending_for_me, responses.pending]
  }
  const submit = (ctx: RequestContext, record: { id: string }) =>
    createResponse(ctx, record.id, { status: 'submitted', values: { mood: { value: 'calm' } } })
  const ben = await actAs(team.ctx, 'annotator', [team.workspaceId])

  expect(await left(team.annotator)).toEqual([4, 4])
  await submit(ben, first)
  await createResponse(ben, third.id, { status: 'discarded' })
  expect([await left(team.annotator), await left(ben)]).toEqual([
    [4, 4],
    [2, 2],
  ])
  await submit(team.admin, first)
  expect([await left(team.annotator), await left(ben), await left(team.admin)]).toEqual([
    [3, 4],
    [2, 2],
    [3, 3],
  ])
  await submit(team.admin, second)
  await updateDataset(team.owner, id, { distribution: { strategy: 'overlap', min_submitted: 1 } })
  await recomputeStatus(team.ctx, { dataset_id: id, after: 0 })
  expect([await left(team.annotator), await left(ben), await left(team.admin)]).toEqual([
    [2, 4],
    [1, 2],
    [2, 2],
  ])
})

test('a user stays listed after the last response is deleted', async () => {
  const { id } = await addPublished(team)
  const [record] = await addRecords(team.ctx, id, [null])
  if (record) await addResponse(team.annotator, record)
  await team.ctx.db.sql.run('delete from responses where dataset_no = (select no from dataset_heads where dataset_id = ?)', [id])
  expect((await getDatasetProgress(team.owner, id)).users).toEqual([{ username: team.annotator.actor.username }])
  expect(await getDatasetUsersProgress(team.owner, id)).toEqual({ users: [] })
})
