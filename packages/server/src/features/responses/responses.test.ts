import type { RecordResponse, ResponseUpsert } from '@postil/domain/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { addPublished, addRecords, openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { upsertRecordsBulk } from '../records/upsert-bulk.ts'
import { listMyHistory, listMyRecent } from './read.ts'
import { createResponse, deleteResponse, updateResponse, upsertResponsesBulk } from './write.ts'

let team: TestTeam
let me: RequestContext
let datasetId: string
beforeAll(async () => {
  team = await openTestTeam()
  me = team.annotator
  datasetId = (await addPublished(team)).id
})
afterAll(() => team.ctx.close())

const aRecord = async () => ((await addRecords(team.ctx, datasetId, [null]))[0] as { id: string }).id
const mood = (value: string) => ({ mood: { value } })
const submitted = (value = 'good') => ({ status: 'submitted' as const, values: mood(value) })
const draft = (value = 'good') => ({ status: 'draft' as const, values: mood(value) })

async function put(record_id: string, given: object): Promise<RecordResponse> {
  const [result] = (await upsertResponsesBulk(me, [{ record_id, ...given } as ResponseUpsert])).items
  if (!result?.item) throw new Error(JSON.stringify(result?.error))
  return result.item
}

async function refused(record_id: string, given: object): Promise<unknown> {
  const [result] = (await upsertResponsesBulk(me, [{ record_id, ...given } as ResponseUpsert])).items
  expect(result?.item).toBeNull()
  return result?.error?.detail
}

const history = async (recordId: string) => (await listMyHistory(me, recordId)).items

/** Returns the events emitted while `work` runs. */
async function told(work: () => Promise<unknown>): Promise<string[]> {
  const from = team.ctx.events.length
  await work()
  return team.ctx.events.slice(from).map(event => event.name)
}

describe('a write with an idempotency key', () => {
  test('that is repeated changes nothing and emits no events', async () => {
    const record = await aRecord()
    const write = { ...submitted(), write_id: me.newId(), if_updated_at: null }
    const first = await put(record, write)
    const events = await told(async () => {
      expect(await put(record, write)).toEqual(first)
      expect(await put(record, { ...write, values: mood('other') })).toEqual(first)
    })
    expect(events).toEqual([])
    expect(await history(record)).toEqual([])
  })

  test('that is repeated after another write returns the current response', async () => {
    const record = await aRecord()
    const write = { ...submitted('one'), write_id: me.newId() }
    await put(record, write)
    const second = await put(record, { ...submitted('two'), write_id: me.newId() })
    expect(await put(record, write)).toEqual(second)
    expect((await updateResponse(me, second.id, submitted('three'))).values).toEqual(mood('three'))
    expect((await put(record, { ...submitted('two'), write_id: me.newId() })).values).toEqual(mood('two'))
  })

  test('that is repeated after its response was deleted does not restore it', async () => {
    const record = await aRecord()
    const write = { ...submitted(), write_id: me.newId(), if_updated_at: null }
    const { id } = await put(record, write)
    await deleteResponse(me, id, {})
    expect(await refused(record, write)).toMatchObject({ code: 'conflict', response: null })
    expect((await put(record, { ...write, write_id: me.newId() })).id).not.toBe(id)
  })
})

describe('a late retry of a draft', () => {
  /** Saves `count` drafts one after another and returns the writes. */
  async function drafts(record: string, count: number) {
    const writes = Array.from({ length: count }, (_, i) => ({ ...draft(`draft ${i + 1}`), write_id: me.newId() }))
    for (const write of writes) await put(record, write)
    return writes
  }

  test('does not overwrite a newer draft, and is answered with it', async () => {
    const record = await aRecord()
    const [first, second] = await drafts(record, 2)
    const now = await put(record, { ...draft('now'), write_id: me.newId() })
    const events = await told(async () => {
      expect(await put(record, { ...first, if_updated_at: null })).toEqual(now)
      expect(await put(record, second as object)).toEqual(now)
    })
    expect(events).toEqual([])
    expect(await history(record)).toEqual([])
  })

  test('does not overwrite what was submitted, discarded or written by others since', async () => {
    const record = await aRecord()
    const [first, second] = await drafts(record, 2)
    const sent = await put(record, { ...submitted('sent'), write_id: me.newId() })
    for (const late of [first, second]) expect(await put(record, late as object)).toEqual(sent)
    const discarded = await put(record, { status: 'discarded', write_id: me.newId() })
    for (const late of [first, second]) expect(await put(record, late as object)).toEqual(discarded)
    const updated = await updateResponse(team.admin, sent.id, draft('by an admin'))
    for (const late of [first, second]) expect(await put(record, late as object)).toEqual(updated)
  })

  test('does not overwrite a draft that was written without an idempotency key, by a user or a program', async () => {
    const record = await aRecord()
    const [write] = await drafts(record, 1)
    const { id } = await put(record, draft('without a name'))
    expect((await put(record, write as object)).values).toEqual(mood('without a name'))
    const [other] = await drafts(record, 1)
    const responses = [{ user_id: me.actor.id, ...draft('of a program') }]
    await upsertRecordsBulk(team.owner, datasetId, [{ id: record, responses }])
    for (const late of [write, other]) expect(await put(record, late as object)).toMatchObject({ id, ...draft('of a program') })
  })

  test('does not bring back a response that was deleted', async () => {
    const record = await aRecord()
    const writes = await drafts(record, 3)
    const { id } = await put(record, { ...submitted(), write_id: me.newId() })
    await deleteResponse(me, id, {})
    for (const late of writes) expect(await refused(record, late)).toMatchObject({ code: 'conflict', response: null })
    const anew = await put(record, { ...draft('anew'), write_id: me.newId() })
    for (const late of writes) expect(await put(record, late)).toEqual(anew)
  })

  test.each([
    { count: 33, remembered: true },
    { count: 34, remembered: false },
  ])('of the first of $count drafts is known: $remembered', async ({ count, remembered }) => {
    const record = await aRecord()
    const [first, second] = await drafts(record, count)
    expect((await put(record, second as object)).values).toEqual(mood(`draft ${count}`))
    expect((await put(record, first as object)).values).toEqual(mood(remembered ? `draft ${count}` : 'draft 1'))
  })
})

describe('a write with if_updated_at', () => {
  test('is refused with the current response if that was changed, and writes nothing', async () => {
    const record = await aRecord()
    const first = await put(record, { ...draft('one'), if_updated_at: null })
    expect(await refused(record, { ...draft('two'), if_updated_at: null })).toMatchObject({ code: 'conflict', response: first })
    const second = await put(record, { ...submitted('two'), if_updated_at: first.updated_at })
    expect(second.updated_at > first.updated_at).toBe(true)

    const events = await told(async () => {
      const detail = await refused(record, { ...submitted('three'), if_updated_at: first.updated_at, write_id: me.newId() })
      expect(detail).toEqual({ code: 'conflict', message: expect.stringContaining(first.updated_at), response: second })
    })
    expect(events).toEqual([])
    expect(await put(record, { ...submitted('two'), if_updated_at: second.updated_at })).toMatchObject({ id: first.id })
    expect(await refused(await aRecord(), { ...draft(), if_updated_at: first.updated_at })).toMatchObject({ response: null })
  })

  test('reports a missing record and invalid values before a conflict', async () => {
    expect(await refused(me.newId(), { ...draft(), if_updated_at: null })).toMatch(/not found/)
    expect(await refused(await aRecord(), { status: 'submitted', values: {}, if_updated_at: null })).toMatch(/values/)
  })

  test('deletes only the version that was read', async () => {
    const record = await aRecord()
    const first = await put(record, submitted('one'))
    const second = await put(record, submitted('two'))
    const remove = (if_updated_at: string) => deleteResponse(me, first.id, { if_updated_at })
    await expect(remove(first.updated_at)).rejects.toMatchObject({ code: 'conflict' })
    expect(await remove(second.updated_at)).toEqual(second)
    await expect(remove(second.updated_at)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('gets a later time than the response even if the clock was set back', async () => {
    const record = await aRecord()
    const { id } = await put(record, submitted())
    const future = '2099-01-05T10:11:12.131415'
    await team.ctx.db.sql.run('update responses set updated_at = ? where id = ?', [future, id])
    expect((await put(record, { ...submitted(), if_updated_at: future })).updated_at > future).toBe(true)
    await team.ctx.db.sql.run('delete from responses where id = ?', [id])
  })
})

describe('history', () => {
  test('keeps what is replaced or deleted, newest first, but no draft for a draft', async () => {
    const record = await aRecord()
    const made = await createResponse(me, record, draft('one'))
    await put(record, draft('two'))
    const third = await put(record, submitted('three'))
    const fourth = await updateResponse(team.admin, made.id, submitted('four'))
    await deleteResponse(me, made.id, {})

    const items = await history(record)
    const of = { response_id: made.id, record_id: record, user_id: me.actor.id, inserted_at: made.inserted_at, job_id: null }
    expect(items).toEqual([
      { ...of, ...submitted('four'), updated_at: fourth.updated_at, replaced_at: expect.any(String) },
      { ...of, ...submitted('three'), updated_at: third.updated_at, replaced_at: fourth.updated_at },
      { ...of, ...draft('two'), updated_at: expect.any(String), replaced_at: third.updated_at },
    ])
    expect((await listMyHistory(team.admin, record)).items).toEqual([])
    await expect(listMyHistory(team.strangeAnnotator, record)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('keeps what programs replace on behalf of people', async () => {
    const record = await aRecord()
    const { updated_at } = await put(record, submitted('mine'))
    const responses = [{ user_id: me.actor.id, ...submitted('theirs') }]
    await upsertRecordsBulk(team.owner, datasetId, [{ id: record, responses }])
    expect(await history(record)).toMatchObject([{ ...submitted('mine'), updated_at }])
    expect(await refused(record, { ...submitted(), if_updated_at: updated_at })).toMatchObject({ response: submitted('theirs') })
  })
})

test('the records answered last come first, and only one’s own', async () => {
  const records = [await aRecord(), await aRecord(), await aRecord()]
  for (const record of records) await put(record, submitted())
  await put(records[0] as string, draft('again'))
  const { items } = await listMyRecent(me, datasetId, { limit: 2 })
  expect(items).toMatchObject([
    { record_id: records[0], external_id: null, ...draft('again') },
    { record_id: records[2], ...submitted() },
  ])
  expect((await listMyRecent(team.owner, datasetId, { limit: 50 })).items).toEqual([])
  await expect(listMyRecent(team.strangeAdmin, datasetId, { limit: 2 })).rejects.toMatchObject({ code: 'forbidden' })
})
