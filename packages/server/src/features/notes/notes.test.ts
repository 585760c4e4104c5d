import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readChanges } from '../../storage/changes.ts'
import { deleteDataset } from '../datasets/delete.ts'
import { addPublished, addRecords, openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import type { RecordRow } from '../records/store.ts'
import { createRecordComment, deleteRecordComment, listRecordComments } from './comments.ts'
import { flagRecord, listMyFlags, unflagRecord } from './flags.ts'
import { listMyNotes } from './list.ts'

let team: TestTeam
let datasetId: string
let records: RecordRow[]
beforeAll(async () => {
  team = await openTestTeam()
  datasetId = (await addPublished(team)).id
  records = await addRecords(team.ctx, datasetId, [null, null, null])
})
afterAll(() => team.ctx.close())

const idOf = (index: number) => records[index]?.id ?? ''

describe('flags', () => {
  test('are set and taken off, as often as one likes', async () => {
    for (const id of [idOf(1), idOf(0), idOf(1)]) await flagRecord(team.annotator, id)
    const { items, total } = await listMyFlags(team.annotator, datasetId)
    expect(items.map(flag => flag.record_id)).toEqual([idOf(0), idOf(1)])
    expect(total).toBe(2)
    for (const id of [idOf(0), idOf(0)]) await unflagRecord(team.annotator, id)
    expect(await listMyFlags(team.annotator, datasetId)).toMatchObject({ items: [{ record_id: idOf(1) }], total: 1 })
  })

  test('are private to each user', async () => {
    expect(await listMyFlags(team.admin, datasetId)).toEqual({ items: [], total: 0 })
  })

  test('send no notices', () => {
    expect(team.ctx.notices).toEqual([])
  })
})

describe('comments', () => {
  test('are listed oldest first, with the names of their authors', async () => {
    const first = await createRecordComment(team.annotator, idOf(0), { body: 'Is this one meant?' })
    const second = await createRecordComment(team.admin, idOf(0), { body: 'Yes.' })
    expect(await listRecordComments(team.annotator, idOf(0))).toEqual({ items: [first, second] })
    expect(first).toMatchObject({ user_id: team.annotator.actor.id, username: team.annotator.actor.username })
    const log = await readChanges(team.ctx.db, datasetId, 0, 1_000)
    expect(log.kind === 'changes' && log.changes.at(-1)).toMatchObject({
      event: 'comment.created',
      record_nos: [records[0]?.no],
      details: { comment_ids: [second.id] },
    })
  })

  test.each([
    { who: 'annotator', may: true },
    { who: 'admin', may: true },
    { who: 'owner', may: true },
    { who: 'strangeAdmin', may: false },
    { who: 'strangeAnnotator', may: false },
  ] as const)('of an annotator: $who may delete them: $may', async ({ who, may }) => {
    const comment = await createRecordComment(team.annotator, idOf(1), { body: 'x' })
    const deleting = deleteRecordComment(team[who], comment.id)
    if (may) expect(await deleting).toEqual(comment)
    else await expect(deleting).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('of others are not for annotators to delete', async () => {
    const comment = await createRecordComment(team.admin, idOf(1), { body: 'x' })
    await expect(deleteRecordComment(team.annotator, comment.id)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('are 200 at most on a record', async () => {
    const { items } = await listRecordComments(team.owner, idOf(2))
    for (let i = items.length; i < 200; i++) await createRecordComment(team.owner, idOf(2), { body: `${i}` })
    await expect(createRecordComment(team.owner, idOf(2), { body: 'x' })).rejects.toThrow(/at most 200 comments/)
    expect((await listRecordComments(team.owner, idOf(2))).items).toHaveLength(200)
  })
})

describe('notes of several records', () => {
  test('come in the order of the ids, without records that the caller may not read', async () => {
    const ids = [idOf(2), team.ctx.newId(), idOf(1), idOf(2)].join(',')
    expect(await listMyNotes(team.annotator, ids)).toEqual({
      items: [
        { record_id: idOf(2), flagged: false, comments: 200 },
        { record_id: idOf(1), flagged: true, comments: expect.any(Number) },
      ],
    })
    expect(await listMyNotes(team.strangeAnnotator, ids)).toEqual({ items: [] })
  })

  test('are asked for 100 at most', () => {
    const ids = Array.from({ length: 101 }, () => team.ctx.newId()).join(',')
    expect(() => listMyNotes(team.owner, ids)).toThrow(/at most 100/)
  })

  test('are deleted with their dataset', async () => {
    const gone = (await addPublished(team)).id
    const [record] = await addRecords(team.ctx, gone, [null])
    const id = record?.id ?? ''
    await flagRecord(team.owner, id)
    const comment = await createRecordComment(team.owner, id, { body: 'x' })
    await deleteDataset(team.owner, gone)
    expect(await listMyNotes(team.owner, id)).toEqual({ items: [] })
    for (const asked of [
      flagRecord(team.owner, id),
      listRecordComments(team.owner, id),
      deleteRecordComment(team.owner, comment.id),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})
