/** Responses that share a commit share the row of their events; each event contains the data of its own transaction. */
import type { EventName } from '@postil/domain/events'
import { EVENTS } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { type DeferredData, storeDeferred } from '../../events/subscribers/all.ts'
import { addPublished, addRecords, openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import type { RecordRow } from '../records/store.ts'
import { createResponse } from '../responses/write.ts'
import { rotateApiKey } from '../users/rotate-api-key.ts'
import { loadUser } from '../users/store.ts'
import { changeHashedUser } from '../users/update.ts'
import { addWebhook, deliver, openReceiver, type Receiver, withWebhooks } from './testing/receiver.ts'

let team: TestTeam
let owner: RequestContext
let annotator: RequestContext
let receiver: Receiver
beforeAll(async () => {
  team = await openTestTeam()
  owner = withWebhooks(team.owner)
  annotator = withWebhooks(team.annotator)
  await addWebhook(owner, Object.keys(EVENTS) as EventName[])
})
beforeEach(async () => {
  receiver = openReceiver()
  await deliver(owner, receiver)
  receiver.told.splice(0)
})
afterAll(() => team.ctx.close())

const submitted = { status: 'submitted' as const, values: { mood: { value: 'good' } } }
const respond = (ctx: RequestContext, recordId: Id, left: DeferredData[]) =>
  createResponse({ ...ctx, deferred: left }, recordId, submitted)
const countRows = async () => (await owner.db.sql.get<{ rows: number }>('select count(*) as rows from webhook_events'))?.rows ?? 0

async function addDatasetWith(count: number): Promise<{ id: Id; records: RecordRow[] }> {
  const { id } = await addPublished({ owner, workspaceId: team.workspaceId })
  return {
    id,
    records: await addRecords(
      owner,
      id,
      Array.from({ length: count }, (_, i) => ({ i })),
    ),
  }
}

/** Runs calls in one commit, like the writer does with calls that wait together. */
const shareCommit = (work: (left: DeferredData[]) => Promise<void>) =>
  owner.db.group(async () => {
    const left: DeferredData[] = []
    await work(left)
    await storeDeferred(owner.db, left)
  })

async function told() {
  await deliver(owner, receiver)
  return receiver.told.splice(0)
}

test('one row for all, an event for each', async () => {
  const { id, records } = await addDatasetWith(3)
  await told()
  const before = await countRows()
  await shareCommit(async left => {
    for (const { id } of records) await respond(owner, id, left)
  })
  expect(await countRows()).toBe(before + 1)
  const events = (await told()).filter(({ type }) => type === 'response.created')
  expect(events.map(({ data }) => data.record.id).toSorted()).toEqual(records.map(({ id }) => id).toSorted())
  expect(events.every(({ data }) => data.record.dataset.id === id && data.user.id === owner.actor.id)).toBe(true)
})

test('a record that two of them change is told as each left it, in their order', async () => {
  const { id, records } = await addDatasetWith(1)
  await updateDataset(owner, id, { distribution: { strategy: 'overlap', min_submitted: 2 } })
  await told()
  await shareCommit(async left => {
    await respond(owner, records[0]?.id ?? '', left)
    await respond(annotator, records[0]?.id ?? '', left)
  })
  const events = (await told()).filter(({ type }) => type === 'response.created')
  expect(events.map(({ data }) => [data.user.username, data.record.status])).toEqual([
    [owner.actor.username, 'pending'],
    [annotator.actor.username, 'completed'],
  ])
})

test('a user is told as they are, also after a change', async () => {
  const { records } = await addDatasetWith(3)
  const changes = [
    async () => {},
    () => changeHashedUser(owner, owner.actor.id, { first_name: 'Renamed' }),
    () => rotateApiKey(owner),
  ]
  for (const [index, change] of changes.entries()) {
    await change()
    await told()
    await shareCommit(left => respond(owner, records[index]?.id ?? '', left).then(() => {}))
    const { first_name, updated_at } = await loadUser(owner.db, owner.actor.id)
    const [event] = (await told()).filter(({ type }) => type === 'response.created')
    expect(event?.data.user).toMatchObject({ first_name, updated_at })
  }
})

test('a row that waited since an earlier version is delivered', async () => {
  const { records } = await addDatasetWith(1)
  await told()
  await shareCommit(left => respond(owner, records[0]?.id ?? '', left).then(() => {}))
  const [no] = await owner.db.sql.column<number>('select no from webhooks')
  const id = records[0]?.id
  const events = [
    ['record.updated', [id]],
    ['record.completed', [id]],
    ['response.created', [id]],
  ]
  const newest = 'no = (select max(no) from webhook_events)'
  const [text = ''] = await owner.db.sql.column<string>(`select payload from webhook_events where ${newest}`)
  const payload = JSON.parse(text) as { records: unknown[][]; responses: unknown[][] }
  const named = (names: string, lists: unknown[][]) =>
    lists.map(values => Object.fromEntries(names.split(' ').map((name, index) => [name, values[index]])))
  const before = {
    ...payload,
    records: named('id status fields metadata external_id inserted_at updated_at', payload.records),
    responses: named('id values status record user inserted_at updated_at', payload.responses),
    places: [[0], [0], [0]],
  }
  await owner.db.sql.run(`update webhook_events set wanted_by = ?, events = ?, payload = ? where ${newest}`, [
    JSON.stringify([[no, 2, [0, 2]]]),
    JSON.stringify(events),
    JSON.stringify(before),
  ])
  const all = await told()
  expect(all.map(({ type }) => type)).toEqual(['record.updated', 'response.created'])
  expect(all[1]?.data).toMatchObject({ status: 'submitted', record: { id, status: 'completed' }, user: { role: 'owner' } })
})

test('a rejected call emits no events', async () => {
  const { records } = await addDatasetWith(2)
  await respond(owner, records[0]?.id ?? '', [])
  await told()
  await shareCommit(async left => {
    await expect(respond(owner, records[0]?.id ?? '', left)).rejects.toThrow('responded')
    await respond(owner, records[1]?.id ?? '', left)
  })
  const events = (await told()).filter(({ type }) => type === 'response.created')
  expect(events.map(({ data }) => data.record.id)).toEqual([records[1]?.id])
})

test('datasets have rows of their own', async () => {
  const [one, two] = [await addDatasetWith(1), await addDatasetWith(1)]
  await told()
  const before = await countRows()
  await shareCommit(async left => {
    for (const { records } of [one, two]) await respond(owner, records[0]?.id ?? '', left)
  })
  expect(await countRows()).toBe(before + 2)
  const events = (await told()).filter(({ type }) => type === 'response.created')
  expect(events.map(({ data }) => data.record.dataset.id).toSorted()).toEqual([one.id, two.id].toSorted())
})
