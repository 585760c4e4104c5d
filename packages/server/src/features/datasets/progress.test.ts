import { afterAll, expect, test } from 'vitest'
import { actAs } from '../../testing/context.ts'
import { getMyDatasetMetrics } from './get-my-metrics.ts'
import { getDatasetProgress } from './get-progress.ts'
import { getDatasetUsersProgress } from './get-users-progress.ts'
import { recomputeStatus } from './recompute-status.ts'
import { addDraft, addPublished, addRecords, addResponse, openTestTeam } from './testing/datasets.ts'

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
    // In the order of first responses.
    users: [{ username: younger.actor.username }, { username: admin.actor.username }],
  })
  // In the order of accounts.
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

test('a user stays listed after the last response is deleted', async () => {
  const { id } = await addPublished(team)
  const [record] = await addRecords(team.ctx, id, [null])
  if (record) await addResponse(team.annotator, record)
  await team.ctx.db.sql.run('delete from responses where dataset_id = ?', [id])
  expect((await getDatasetProgress(team.owner, id)).users).toEqual([{ username: team.annotator.actor.username }])
  expect(await getDatasetUsersProgress(team.owner, id)).toEqual({ users: [] })
})
