import type { Id } from '@postil/domain/schema'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { actAs } from '../../testing/context.ts'
import { getDatasetProgress } from './get-progress.ts'
import { recomputeStatus } from './recompute-status.ts'
import { addPublished, addRecords, addResponse, listJobs, openTestTeam } from './testing/datasets.ts'
import { updateDataset } from './update.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())
beforeEach(async () => {
  await team.ctx.db.sql.run('delete from jobs')
})

const overlap = (min_submitted: number) => ({ distribution: { strategy: 'overlap', min_submitted } as const })

async function statuses(datasetId: Id): Promise<string[]> {
  const text = 'select status from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no'
  return (await team.ctx.db.sql.all<{ status: string }>(text, [datasetId])).map(row => row.status)
}

describe('another min_submitted', () => {
  test('reopens and completes records at once, and tells of those that changed', async () => {
    const { id } = await addPublished(team)
    const second = await actAs(team.ctx, 'annotator', [team.workspaceId])
    const [twice, once, drafted] = await addRecords(team.ctx, id, [null, null, null, null])
    if (!twice || !once || !drafted) throw new Error('no records')
    await addResponse(team.annotator, twice)
    await addResponse(second, twice)
    await addResponse(team.annotator, once)
    await addResponse(second, once, 'discarded')
    await addResponse(team.annotator, drafted, 'draft')
    await recomputeStatus(team.ctx, { dataset_id: id, after: 0 })
    expect(await statuses(id)).toEqual(['completed', 'completed', 'pending', 'pending'])

    team.ctx.events.length = 0
    await updateDataset(team.admin, id, overlap(2))
    expect(await statuses(id)).toEqual(['completed', 'pending', 'pending', 'pending'])
    expect(await getDatasetProgress(team.owner, id)).toMatchObject({ total: 4, completed: 1, pending: 3 })
    expect(team.ctx.events.slice(1)).toEqual([{ name: 'record.updated', payload: { dataset_id: id, record_ids: [once.id] } }])

    team.ctx.events.length = 0
    await updateDataset(team.admin, id, overlap(1))
    expect(await statuses(id)).toEqual(['completed', 'completed', 'pending', 'pending'])
    expect(await getDatasetProgress(team.owner, id)).toMatchObject({ total: 4, completed: 2, pending: 2 })
    expect(team.ctx.events.map(event => event.name)).toEqual(['dataset.updated', 'record.updated', 'record.completed'])
    expect(team.ctx.events[2]?.payload).toEqual({ dataset_id: id, record_ids: [once.id] })
    expect(await listJobs(team.ctx)).toEqual([])
  })

  test('moves the time of a record whose status changed, and of no other', async () => {
    const { id } = await addPublished(team)
    const [answered, untouched] = await addRecords(team.ctx, id, [null, null])
    if (!answered || !untouched) throw new Error('no records')
    await addResponse(team.annotator, answered)
    await recomputeStatus(team.ctx, { dataset_id: id, after: 0 })
    await recomputeStatus(team.ctx, { dataset_id: id, after: 0 })
    const times = await team.ctx.db.sql.all<{ updated_at: string }>(
      'select updated_at from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
      [id],
    )
    expect(times.map(row => row.updated_at)).toEqual([expect.not.stringMatching(answered.updated_at), untouched.updated_at])
    expect(await getDatasetProgress(team.owner, id)).toMatchObject({ completed: 1 })
  })

  test('of a large dataset is finished by a job', async () => {
    const { id } = await addPublished(team)
    const records = await addRecords(
      team.ctx,
      id,
      Array.from({ length: 1001 }, () => null),
    )
    for (const record of records) await addResponse(team.annotator, record)
    await updateDataset(team.admin, id, overlap(2))
    await updateDataset(team.admin, id, overlap(1))
    expect(await getDatasetProgress(team.owner, id)).toMatchObject({ completed: 1000, pending: 1 })

    const payload = { dataset_id: id, actor_id: team.admin.actor.id, after: records[999]?.no ?? 0, done: 1000 }
    const jobs = await listJobs(team.ctx)
    expect(jobs.at(-1)).toEqual({ name: 'recompute-status', payload })
    expect(await recomputeStatus(team.ctx, payload)).toBeNull()
    expect(await getDatasetProgress(team.owner, id)).toMatchObject({ completed: 1001, pending: 0 })
  })
})

test('a change of anything else leaves records and jobs alone', async () => {
  const { id } = await addPublished(team)
  const [record] = await addRecords(team.ctx, id, [null])
  if (record) await addResponse(team.annotator, record)
  await updateDataset(team.admin, id, { name: 'another name', ...overlap(1) })
  expect(await statuses(id)).toEqual(['pending'])
  expect(await listJobs(team.ctx)).toEqual([])
})

test('recomputing a dataset that was deleted meanwhile ends', async () => {
  expect(await recomputeStatus(team.ctx, { dataset_id: team.ctx.newId(), after: 0 })).toBeNull()
})
