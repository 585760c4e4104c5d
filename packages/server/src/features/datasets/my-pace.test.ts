import type { ResponseStatus } from '@postil/domain/responses'
import { afterAll, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { upsertResponsesBulk } from '../responses/write.ts'
import { getDataset } from './get.ts'
import { addPublished, addRecords, openTestTeam } from './testing/datasets.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())

const timeAt = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}000`
const at = (ctx: RequestContext, ms: number): RequestContext => ({ ...ctx, now: () => timeAt(ms) })
const MIDNIGHT = Date.UTC(2026, 5, 1)

async function answers(statuses: readonly ResponseStatus[], times: readonly number[]) {
  const { id } = await addPublished(team)
  const records = await addRecords(
    team.ctx,
    id,
    statuses.map(() => null),
  )
  for (const [i, status] of statuses.entries()) {
    const item = { record_id: records[i]?.id ?? '', status, values: { mood: { value: 'calm' } } }
    await upsertResponsesBulk(at(team.annotator, times[i] ?? 0), [item])
  }
  return id
}

test('today begins at the caller’s midnight', async () => {
  const seconds = [-7_200_001, -7_200_000, -1, 0, 3_600_000]
  const id = await answers(
    seconds.map(() => 'submitted'),
    seconds.map(ms => MIDNIGHT + ms),
  )
  const today = async (utcOffset?: number) =>
    (await getDataset(at(team.annotator, MIDNIGHT + 7_200_000), id, ['pace'], utcOffset)).pace?.today
  expect([await today(), await today(120), await today(-180)]).toEqual([2, 4, 5])
})

test('the time per record comes from submitted and discarded answers, without breaks and drafts', async () => {
  const statuses = Array.from(
    { length: 14 },
    (_, i): ResponseStatus => (i === 3 ? 'draft' : i % 2 === 0 ? 'submitted' : 'discarded'),
  )
  // Every 30 s, with a break of an hour; the draft is in the break.
  const times = statuses.map((_, i) => MIDNIGHT + i * 30_000 + (i > 2 ? 1_800_000 : 0) + (i > 3 ? 1_800_000 : 0))
  const id = await answers(statuses, times)
  const { pace } = await getDataset(at(team.annotator, MIDNIGHT + 20_000_000), id, ['pace'])
  expect(pace).toEqual({ today: 7, median_seconds: 30 })
  // A different user has no pace here.
  expect((await getDataset(team.admin, id, ['pace'])).pace).toEqual({ today: 0, median_seconds: null })
})

test('the time per record is that of the last 50 answers, also with drafts after them', async () => {
  const statuses = Array.from({ length: 120 }, (_, i): ResponseStatus => (i < 90 ? 'submitted' : 'draft'))
  const times = statuses.map((_, i) => MIDNIGHT + i * 1_000 + Math.max(0, i - 30) * 9_000)
  const id = await answers(statuses, times)
  const { pace } = await getDataset(at(team.annotator, MIDNIGHT + 20_000_000), id, ['pace'])
  expect(pace).toEqual({ today: 90, median_seconds: 10 })
})

test('reads the end of an index, and no more rows than needed', async () => {
  for (const text of [
    `select p.status from responses p where p.user_id = 'u' and p.dataset_no = 1 and p.updated_at >= '' order by p.updated_at desc limit 9`,
    `select p.updated_at from dataset_heads h join responses p on p.user_id = 'u' and p.dataset_no = h.no
     where h.dataset_id in ('d') and p.status <> 'draft' and p.updated_at >= coalesce((select l.updated_at from responses l
       where l.user_id = 'u' and l.dataset_no = h.no order by l.updated_at desc limit 1 offset 9), '') order by p.updated_at`,
  ]) {
    const plan = await team.ctx.db.sql.all<{ detail: string }>(`explain query plan ${text}`, [])
    const reads = plan.map(({ detail }) => detail).filter(detail => / [pl]( |$)/.test(detail))
    expect(reads.length).toBeGreaterThan(0)
    for (const read of reads) expect(read).toContain('responses_by_time')
  }
})
