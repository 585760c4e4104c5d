import type { Id } from '@postil/domain/schema'
import { afterAll, expect, test } from 'vitest'
import { addPublished, openTestTeam } from '../datasets/testing/datasets.ts'
import { listMyTransfers } from './list.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

async function addJob(name: string, payload: object, status = 'started'): Promise<Id> {
  const [id, now] = [team.ctx.newId(), team.ctx.now()]
  const times = { run_at: now, inserted_at: now, updated_at: now }
  const row = {
    id,
    name,
    payload: JSON.stringify(payload),
    status,
    attempts: 1,
    error: null,
    leased_until: null,
    finished_at: null,
  }
  await team.ctx.db.kysely
    .insertInto('jobs')
    .values({ ...row, ...times })
    .execute()
  return id
}

test('leads see what waits and runs in their datasets, newest first', async () => {
  const { id: dataset_id } = await addPublished(team)
  const first = await addJob('hub-import', { dataset_id, done: 5, total: 20 })
  const second = await addJob('file-export', { dataset_id }, 'queued')
  await addJob('hub-export', { dataset_id }, 'finished')
  await addJob('file-import', { dataset_id }, 'failed')
  await addJob('recompute-status', { dataset_id })
  await addJob('hub-import', { dataset_id: team.ctx.newId() })

  for (const ctx of [team.owner, team.admin]) {
    const { items } = await listMyTransfers(ctx)
    expect(items.map(({ id, kind, status, progress }) => ({ id, kind, status, progress }))).toEqual([
      { id: second, kind: 'export', status: 'queued', progress: null },
      { id: first, kind: 'import', status: 'started', progress: { done: 5, total: 20 } },
    ])
  }
  for (const ctx of [team.annotator, team.strangeAdmin, team.strangeAnnotator])
    expect(await listMyTransfers(ctx)).toEqual({ items: [] })
})
