import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emitRecords } from '../../events/emit.ts'
import { deleteOldChanges } from '../../storage/changes.ts'
import { write } from '../../storage/write.ts'
import { createRecordComment, deleteRecordComment } from '../notes/comments.ts'
import { flagRecord } from '../notes/flags.ts'
import type { RecordRow } from '../records/store.ts'
import { deleteDataset } from './delete.ts'
import { listLiveChanges } from './live-changes.ts'
import { loadDataset } from './store.ts'
import { addPublished, addRecords, openTestTeam, type TestTeam } from './testing/datasets.ts'
import { updateDataset } from './update.ts'

let team: TestTeam
let datasetId: string
let records: RecordRow[]
/** Head of the change log at the start of the test. */
let after: number
beforeAll(async () => {
  team = await openTestTeam()
})
afterAll(() => team.ctx.close())
beforeEach(async () => {
  datasetId = (await addPublished(team)).id
  records = await addRecords(team.ctx, datasetId, Array(201).fill(null))
  after = (await loadDataset(team.ctx.db, datasetId)).change_no
})

const read = (from = after) => listLiveChanges(team.ctx, datasetId, from)
const complete = (count: number) =>
  write(team.owner, async tx => emitRecords(tx, 'record.completed', datasetId, records.slice(0, count)))
const toAll = () => ({ dataset_id: datasetId, user_id: null })
const idOf = (index: number) => records[index]?.id

describe('those who have a dataset open are told', () => {
  test('nothing if nothing happened', async () => {
    expect(await read()).toEqual({ notices: [], next: after })
  })

  test('which records were completed', async () => {
    await complete(2)
    expect(await read()).toEqual({
      notices: [0, 1].map(index => ({ ...toAll(), name: 'record-completed', data: { record_id: idOf(index) } })),
      next: after + 1,
    })
  })

  test('of comments, but not of flags', async () => {
    const { id: comment_id, record_id } = await createRecordComment(team.admin, idOf(0) ?? '', { body: 'Look.' })
    await flagRecord(team.admin, record_id)
    await deleteRecordComment(team.admin, comment_id)
    const told = { ...toAll(), name: 'comment' }
    expect(await read()).toEqual({
      notices: [
        { ...told, data: { record_id, comment_id, deleted: false } },
        { ...told, data: { record_id, comment_id, deleted: true } },
      ],
      next: after + 3,
    })
  })

  test('what was changed of the settings', async () => {
    const { notices } = await read(0)
    expect(notices.map(({ name, data }) => [name, data])).toEqual([
      ['settings-changed', { what: 'fields' }],
      ['settings-changed', { what: 'questions' }],
      ['settings-changed', { what: 'dataset' }],
    ])
    await updateDataset(team.owner, datasetId, { guidelines: 'Be kind.' })
    expect((await read()).notices).toEqual([{ ...toAll(), name: 'settings-changed', data: { what: 'dataset' } }])
  })

  test.each([
    { count: 200, names: ['record-completed', 'settings-changed'] },
    { count: 201, names: ['settings-changed', 'many-changes'] },
  ])('$count completed records as $names', async ({ count, names }) => {
    await complete(count)
    await updateDataset(team.owner, datasetId, { guidelines: 'Be kind.' })
    expect([...new Set((await read()).notices.map(({ name }) => name))]).toEqual(names)
  })

  test('that the dataset was deleted, also when it is gone', async () => {
    await deleteDataset(team.owner, datasetId)
    expect(await read()).toEqual({ notices: [{ ...toAll(), name: 'dataset-deleted', data: {} }], next: after + 1 })
  })

  test('to load everything again if the log does not hold all that happened', async () => {
    await complete(1)
    await complete(1)
    await deleteOldChanges(team.ctx.db, datasetId, { before: '9999', limit: after + 1 })
    expect(await read()).toEqual({ notices: [{ ...toAll(), name: 'many-changes', data: {} }], next: after + 2 })
  })

  test('of a log that is longer than one read, in pieces', async () => {
    for (let i = 0; i < 501; i++) await complete(1)
    const { notices, next } = await read()
    expect([notices.at(-1)?.name, next]).toEqual(['many-changes', after + 500])
    expect(await read(next)).toMatchObject({ notices: [{ name: 'record-completed' }], next: after + 501 })
  })
})
