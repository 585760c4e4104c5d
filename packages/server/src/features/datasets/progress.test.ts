import { afterAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs } from '../../testing/context.ts'
import { createResponse } from '../responses/write.ts'
import { getDataset } from './get.ts'
import { getMyDatasetMetrics } from './get-my-metrics.ts'
import { recomputeStatus } from './recompute-status.ts'
import { addPublished, addRecords, openTestTeam } from './testing/datasets.ts'
import { updateDataset } from './update.ts'
import { watchDataset } from './watch.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

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
