import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { ResponseUpsert } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { openJobRunner } from '../../jobs/worker.ts'
import { openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { countRecords } from '../records/store.ts'
import { listMyHistory } from '../responses/read.ts'
import { deleteResponse, upsertResponsesBulk } from '../responses/write.ts'
import { cancelBulkJob } from './cancel.ts'
import { undoBulkJob } from './create.ts'
import { getBulkJob } from './read.ts'
import {
  addBulkDataset,
  addRecords,
  answer,
  askForBulk,
  type BulkDataset,
  plain,
  respond,
  responsesOf,
  runBulk,
  runJobs,
} from './testing/bulk.ts'

let team: TestTeam
let me: RequestContext
let dataset: BulkDataset
beforeAll(async () => {
  team = await openTestTeam()
  me = team.annotator
})
beforeEach(async () => {
  dataset = await addBulkDataset(team)
})
afterAll(() => team.ctx.close())

const given = (status: string, value: string) => ({ status, values: { mood: { value } } })

async function undo(job: BulkJob): Promise<BulkJob> {
  const { id } = await undoBulkJob(me, job.id)
  await runJobs(me)
  return getBulkJob(me, id)
}

const completed = async () => (await countRecords(team.ctx.db, dataset.id)).completed

describe('undoing a bulk job', () => {
  test('restores previous responses or their absence, and can be undone itself', async () => {
    const ids = await addRecords(team, dataset, plain(300))
    const [drafted = '', sent = ''] = ids
    await answer(me, drafted, given('draft', 'bad'))
    await answer(me, sent, given('submitted', 'bad'))
    const before = await responsesOf(me, dataset.id)

    const job = await runBulk(me, dataset.id, { record_ids: ids, action: respond('good', 'draft') })
    const after = await responsesOf(me, dataset.id)
    expect([after.size, await completed()]).toEqual([300, 0])
    const undone = await undo(job)
    expect(undone).toMatchObject({ type: 'undo', undoes: job.id, status: 'finished', total: 300, done: 300, failed: 0 })
    expect(await responsesOf(me, dataset.id)).toEqual(before)
    expect(await completed()).toBe(1)
    expect(await getBulkJob(me, job.id)).toMatchObject({ undone: true, undone_by: undone.id })

    await undo(undone)
    expect(await responsesOf(me, dataset.id)).toEqual(after)
    expect((await listMyHistory(me, sent)).items.map(({ status, job_id }) => [status, job_id === null])).toEqual([
      ['submitted', false],
      ['draft', false],
      ['submitted', false],
    ])
  })

  test('brings deleted responses back as they were', async () => {
    const ids = await addRecords(team, dataset, plain(2))
    for (const id of ids) await answer(me, id, given('submitted', 'bad'))
    const before = await responsesOf(me, dataset.id)
    const job = await runBulk(me, dataset.id, { record_ids: ids, action: { type: 'return_to_pending' } })
    expect([(await responsesOf(me, dataset.id)).size, await completed()]).toEqual([0, 0])
    await undo(job)
    expect(await responsesOf(me, dataset.id)).toEqual(before)
    expect(await completed()).toBe(2)
  })

  test('leaves what was changed since', async () => {
    const ids = await addRecords(team, dataset, plain(4))
    const [untouched = '', changed = '', removed = '', draftedAgain = ''] = ids
    const job = await runBulk(me, dataset.id, { record_ids: ids, action: respond('good', 'draft') })
    const responses = await responsesOf(me, dataset.id)
    await answer(me, changed, given('submitted', 'bad'))
    await deleteResponse(me, responses.get(removed)?.id ?? '', {})
    await answer(me, draftedAgain, given('draft', 'good'))

    const undone = await undo(job)
    expect(undone).toMatchObject({ total: 4, done: 1, failed: 3 })
    expect(undone.failures.toSorted((a, b) => ids.indexOf(a.record_id) - ids.indexOf(b.record_id))).toEqual(
      [changed, removed, draftedAgain].map(record_id => ({ record_id, reason: 'Changed since', code: 'conflict', at: [] })),
    )
    const left = await responsesOf(me, dataset.id)
    expect([left.has(untouched), left.get(changed)?.status, left.has(removed), left.get(draftedAgain)?.status]).toEqual([
      false,
      'submitted',
      false,
      'draft',
    ])
  })

  test('leaves what was answered again after it was returned to pending', async () => {
    const [again = '', gone = ''] = await addRecords(team, dataset, plain(2))
    for (const id of [again, gone]) await answer(me, id, given('submitted', 'bad'))
    const job = await runBulk(me, dataset.id, { record_ids: [again, gone], action: { type: 'return_to_pending' } })
    await answer(me, again, given('draft', 'good'))
    const { id } = await answer(me, gone, given('draft', 'good'))
    await deleteResponse(me, id, {})
    expect(await undo(job)).toMatchObject({ done: 0, failed: 2 })
  })

  test('requires a finished job, is created once, and is for its owner', async () => {
    const ids = await addRecords(team, dataset, plain(150))
    const request = { record_ids: ids, action: respond(), expected_total: 150 }
    const job = await askForBulk(me, dataset.id, request)
    await openJobRunner(me).step()
    await expect(undoBulkJob(me, job.id)).rejects.toMatchObject({ code: 'conflict' })
    await expect(undoBulkJob(team.owner, job.id)).rejects.toMatchObject({ code: 'not_found' })
    await cancelBulkJob(me, job.id)
    const first = await undoBulkJob(me, job.id)
    expect(first.total).toBe(100)
    expect((await undoBulkJob(me, job.id)).id).toBe(first.id)
    await cancelBulkJob(me, first.id)
    const second = await undoBulkJob(me, job.id)
    expect(second.id).not.toBe(first.id)
    await runJobs(me)
    expect((await responsesOf(me, dataset.id)).size).toBe(0)
  })

  test('passes over records that were deleted since', async () => {
    const ids = await addRecords(team, dataset, plain(2))
    const job = await runBulk(me, dataset.id, { record_ids: ids })
    await team.ctx.db.sql.run('delete from records where id = ?', [ids[0] as Id])
    expect(await undo(job)).toMatchObject({ total: 1, done: 1 })
  })
})

test.each([
  { action: respond('good', 'draft'), leaves: 'draft' },
  { action: respond('good', 'submitted'), leaves: 'submitted' },
  { action: { type: 'return_to_pending' } as const, leaves: null },
])(
  'a late retry of a draft does not change what a job left: $leaves; nor what its undo brought back',
  async ({ action, leaves }) => {
    const [record = ''] = await addRecords(team, dataset, plain(1))
    const writes = ['bad', 'good', 'bad'].map(value => ({ ...given('draft', value), write_id: me.newId() }))
    for (const write of writes) await answer(me, record, write)
    const before = await responsesOf(me, dataset.id)
    const retryAll = async () => {
      for (const write of writes) await upsertResponsesBulk(me, [{ record_id: record, ...write } as ResponseUpsert])
    }
    const job = await runBulk(me, dataset.id, { record_ids: [record], action })
    await retryAll()
    expect((await responsesOf(me, dataset.id)).get(record)?.status ?? null).toBe(leaves)
    expect(await undo(job)).toMatchObject({ status: 'finished', done: 1 })
    await retryAll()
    expect(await responsesOf(me, dataset.id)).toEqual(before)
  },
)
