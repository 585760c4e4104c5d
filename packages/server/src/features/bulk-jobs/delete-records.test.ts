import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { RecordsDeletion } from '@postil/domain/dataset-changes'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { readChanges } from '../../storage/changes.ts'
import { loadDataset } from '../datasets/store.ts'
import { openTestTeam } from '../datasets/testing/datasets.ts'
import { deleteRecords } from '../records/delete.ts'
import { cancelBulkJob } from './cancel.ts'
import { undoBulkJob } from './create.ts'
import { deleteRecordsByFilter, startDeletion } from './delete-records.ts'
import { getBulkJob, listBulkJobs } from './read.ts'
import { addBulkDataset, addRecords, answer, type BulkDataset, plain, runJobs } from './testing/bulk.ts'

const team = await openTestTeam()
afterAll(() => team.ctx.close())
const { owner, admin, annotator } = team

let dataset: BulkDataset
let apples: Id[]
beforeEach(async () => {
  dataset = await addBulkDataset(team)
  apples = await addRecords(team, dataset, plain(130, 'apple'))
  await addRecords(team, dataset, plain(3, 'pear'))
})

const APPLES = { query: { text: { q: 'apple' } } }

async function ask(ctx: RequestContext, request: Partial<RecordsDeletion> = {}): Promise<BulkJob> {
  const given = { query: APPLES, expected_total: 130, ...request }
  const answered = await deleteRecordsByFilter(ctx, dataset.id, given)
  return answered instanceof OnWriter ? startDeletion(ctx, answered.body) : answered
}

const counts = async () => {
  const { records_count, completed_count } = await loadDataset(team.ctx.db, dataset.id)
  return { records_count, completed_count }
}

describe('deleting records by a filter', () => {
  test('deletes those that match, counts them, and logs each piece', async () => {
    await answer(annotator, apples[0] as Id, { status: 'submitted', values: { mood: { value: 'good' } } })
    const { change_no } = await loadDataset(team.ctx.db, dataset.id)
    const { id } = await ask(admin)
    expect(await counts()).toEqual({ records_count: 133, completed_count: 1 })
    await runJobs(owner)
    expect(await getBulkJob(admin, id)).toMatchObject({
      type: 'delete_records',
      status: 'finished',
      total: 130,
      done: 130,
      failed: 0,
    })
    expect(await counts()).toEqual({ records_count: 3, completed_count: 0 })
    const read = await readChanges(team.ctx.db, dataset.id, change_no, 10)
    const entries =
      read.kind === 'changes' ? read.changes.map(({ event, record_nos, actor_id }) => [event, record_nos.length, actor_id]) : []
    expect(entries).toEqual([
      ['record.deleted', 100, admin.actor.id],
      ['record.deleted', 30, admin.actor.id],
    ])
  })

  test('needs the right number, at the start and again when it begins to write', async () => {
    await expect(ask(admin, { expected_total: 129 })).rejects.toMatchObject({ code: 'conflict' })
    const found = await deleteRecordsByFilter(admin, dataset.id, { query: APPLES, expected_total: 130 })
    await deleteRecords(owner, dataset.id, apples[0] as Id)
    if (!(found instanceof OnWriter)) throw new Error('it should end on the writer')
    await expect(startDeletion(admin, found.body)).rejects.toMatchObject({ code: 'conflict' })
    expect(await counts()).toMatchObject({ records_count: 132 })
  })

  test('is for those who may write records', async () => {
    await expect(ask(annotator)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(ask(team.strangeAdmin)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('sent again, answers the same job', async () => {
    const write_id = owner.newId()
    const one = await ask(admin, { write_id })
    expect(await ask(admin, { write_id })).toEqual(one)
    await runJobs(owner)
    expect(await ask(admin, { write_id })).toMatchObject({ id: one.id, status: 'finished' })
  })

  test('canceled, keeps the records that are left; nothing can be undone', async () => {
    const { id } = await ask(admin)
    await cancelBulkJob(admin, id)
    await runJobs(owner)
    expect(await counts()).toMatchObject({ records_count: 133 })
    await expect(undoBulkJob(admin, id)).rejects.toThrow('cannot be brought back')
    expect((await listBulkJobs(admin, dataset.id)).items).toMatchObject([{ id, status: 'canceled' }])
  })

  test('passes over records that are gone by then', async () => {
    const { id } = await ask(admin)
    await deleteRecords(owner, dataset.id, apples.slice(0, 5).join(','))
    await runJobs(owner)
    expect(await getBulkJob(admin, id)).toMatchObject({ status: 'finished', done: 130, failed: 0 })
    expect(await counts()).toMatchObject({ records_count: 3 })
  })

  test('leaves records alone once the person may not delete any more', async () => {
    const { id } = await ask(admin)
    await team.ctx.db.sql.run("update users set role = 'annotator' where id = ?", [admin.actor.id])
    await runJobs(owner)
    expect(await getBulkJob(admin, id)).toMatchObject({ status: 'finished', done: 0, failed: 130 })
    expect(await counts()).toMatchObject({ records_count: 133 })
    await team.ctx.db.sql.run("update users set role = 'admin' where id = ?", [admin.actor.id])
  })
})
