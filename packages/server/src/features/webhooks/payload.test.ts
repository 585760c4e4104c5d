/** Payloads of each event, compared with the schemas that receivers expect. */
import type { EventName } from '@postil/domain/events'
import { EVENTS } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { deleteDataset } from '../datasets/delete.ts'
import { recomputeStatus } from '../datasets/recompute-status.ts'
import { addPublished, addRecords, openTestTeam, type TestTeam } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import { createMetadataProperty } from '../metadata-properties/create.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { deleteRecord, deleteRecords } from '../records/delete.ts'
import type { RecordRow } from '../records/store.ts'
import { updateRecord } from '../records/update.ts'
import { upsertRecordsBulk } from '../records/upsert-bulk.ts'
import { createResponse, deleteResponse, updateResponse } from '../responses/write.ts'
import { createVectorsSettings } from '../vectors-settings/create.ts'
import { addWebhook, deliver, openReceiver, type Receiver, withWebhooks } from './testing/receiver.ts'

let team: TestTeam
let owner: RequestContext
let receiver: Receiver
beforeAll(async () => {
  team = await openTestTeam()
  owner = withWebhooks(team.owner)
  await addWebhook(owner, Object.keys(EVENTS) as EventName[])
})
beforeEach(() => {
  receiver = openReceiver()
})
afterAll(() => team.ctx.close())

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const TIMES = { inserted_at: TIME, updated_at: TIME }

const place = () => ({ owner, workspaceId: team.workspaceId })
const submitted = { status: 'submitted' as const, values: { mood: { value: 'good' } } }
const aRecord = async (id: Id) => (await addRecords(owner, id, [{ i: 3 }]))[0] as RecordRow

/** Returns what was sent since the last call, oldest first. */
async function told() {
  await deliver(owner, receiver)
  return receiver.told.splice(0)
}

const datasetShape = (changed: object = {}) => ({
  id: ID,
  name: expect.any(String),
  guidelines: null,
  allow_extra_metadata: true,
  status: 'ready',
  distribution: { strategy: 'overlap', min_submitted: 1 },
  workspace: { id: team.workspaceId, name: expect.any(String), ...TIMES },
  questions: [
    {
      id: ID,
      name: 'mood',
      title: 'Mood',
      description: null,
      required: true,
      settings: { type: 'text', use_markdown: false },
      ...TIMES,
    },
  ],
  fields: [{ id: ID, name: 'text', title: 'Text', required: true, settings: { type: 'text', use_markdown: false }, ...TIMES }],
  metadata_properties: [],
  vectors_settings: [],
  last_activity_at: TIME,
  ...TIMES,
  ...changed,
})

const recordShape = (changed: object = {}) => ({
  id: ID,
  status: 'pending',
  fields: { text: 'hello' },
  metadata: { i: 3 },
  external_id: null,
  dataset: datasetShape(),
  ...TIMES,
  ...changed,
})

const responseShape = (changed: object = {}) => ({
  id: ID,
  values: { mood: { value: 'good' } },
  status: 'submitted',
  record: recordShape({ status: 'completed' }),
  user: {
    id: owner.actor.id,
    first_name: 'owner',
    last_name: null,
    username: owner.actor.username,
    role: 'owner',
    ...TIMES,
  },
  ...TIMES,
  ...changed,
})

describe('datasets', () => {
  test('created, published, updated and deleted', async () => {
    const { id } = await addPublished(place())
    await createMetadataProperty(owner, id, { name: 'i', title: 'I', settings: { type: 'integer', min: 1, max: null } })
    await createVectorsSettings(owner, id, { name: 'v', title: 'V', dimensions: 2 })
    await updateDataset(owner, id, { guidelines: 'Be kind' })
    await deleteDataset(owner, id)
    const all = await told()
    expect(all.map(({ type }) => type)).toEqual(['dataset.created', 'dataset.published', 'dataset.updated', 'dataset.deleted'])
    const [created, published, updated, deleted] = all.map(({ data }) => data)
    expect(created).toEqual(datasetShape({ id, status: 'draft', questions: [], fields: [] }))
    expect(published).toEqual(datasetShape({ id }))
    const whole = datasetShape({
      id,
      guidelines: 'Be kind',
      metadata_properties: [
        {
          id: ID,
          name: 'i',
          title: 'I',
          settings: { type: 'integer', min: 1, max: null },
          visible_for_annotators: true,
          ...TIMES,
        },
      ],
      vectors_settings: [{ id: ID, name: 'v', title: 'V', dimensions: 2, ...TIMES }],
    })
    expect(updated).toEqual(whole)
    expect(deleted).toEqual(whole)
  })
})

describe('records', () => {
  test('created in bulk: one event each, as they are stored', async () => {
    const { id } = await addPublished(place())
    await told()
    await createRecordsBulk(owner, id, [
      { fields: { text: 'hello' }, metadata: { i: 3 }, external_id: 'e1' },
      { fields: { text: 'two' }, metadata: null },
    ] as never)
    const all = await told()
    expect(all.map(({ type }) => type)).toEqual(['record.created', 'record.created'])
    expect(all.map(({ data }) => data)).toEqual([
      recordShape({ external_id: 'e1' }),
      recordShape({ fields: { text: 'two' }, metadata: null }),
    ])
    expect(all[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  })

  test('upserted: created or updated, each once', async () => {
    const { id } = await addPublished(place())
    const record = await aRecord(id)
    await told()
    await upsertRecordsBulk(owner, id, [{ id: record.id, metadata: { i: 4 } }, { fields: { text: 'new' } }] as never)
    const all = await told()
    expect(all.map(({ type, data }) => [type, data.metadata])).toEqual([
      ['record.created', null],
      ['record.updated', { i: 4 }],
    ])
    expect(all[1]?.data).toEqual(recordShape({ id: record.id, metadata: { i: 4 } }))
  })

  test('updated and deleted, with what they held', async () => {
    const { id } = await addPublished(place())
    const [one, two] = (await addRecords(owner, id, [{ i: 3 }, { i: 3 }])) as [RecordRow, RecordRow]
    await told()
    await updateRecord(owner, one.id, { metadata: { i: 5 } })
    await deleteRecord(owner, one.id)
    await deleteRecords(owner, id, two.id)
    const all = await told()
    const ofRecord = (record: RecordRow) => all.filter(({ data }) => data.id === record.id)
    expect(ofRecord(one)).toMatchObject([{ type: 'record.updated' }, { type: 'record.deleted' }])
    for (const { data } of ofRecord(one)) expect(data).toEqual(recordShape({ id: one.id, metadata: { i: 5 } }))
    expect(ofRecord(two).map(({ type, data }) => [type, data])).toEqual([['record.deleted', recordShape({ id: two.id })]])
  })

  test('completed by another distribution, in the order of the events of each', async () => {
    const dataset = await addPublished(place())
    await updateDataset(owner, dataset.id, { distribution: { strategy: 'overlap', min_submitted: 2 } })
    const rows = await addRecords(
      owner,
      dataset.id,
      Array.from({ length: 120 }, () => ({ i: 3 })),
    )
    for (const row of rows) await createResponse(owner, row.id, submitted)
    await told()
    await updateDataset(owner, dataset.id, { distribution: { strategy: 'overlap', min_submitted: 1 } })
    await recomputeStatus(owner, { dataset_id: dataset.id, after: 0 })
    const all = (await told()).filter(({ type }) => type !== 'dataset.updated')
    expect(all.length).toBe(240)
    for (const { id } of rows) {
      const own = all.filter(({ data }) => data.id === id)
      expect(own.map(({ type }) => type)).toEqual(['record.updated', 'record.completed'])
      expect(own[1]?.data).toEqual(recordShape({ id, status: 'completed' }))
    }
  })
})

describe('responses', () => {
  test('created, updated and deleted, with the record and its status', async () => {
    const { id } = await addPublished(place())
    const record = await aRecord(id)
    await told()
    const response = await createResponse(owner, record.id, submitted)
    await updateResponse(owner, response.id, { status: 'submitted', values: { mood: { value: 'bad' } } })
    await deleteResponse(owner, response.id, {})
    const all = await told()
    expect(all.map(({ type }) => type)).toEqual([
      'record.updated',
      'record.completed',
      'response.created',
      'response.updated',
      'record.updated',
      'response.deleted',
    ])
    expect(all[0]?.data).toEqual(recordShape({ id: record.id, status: 'completed' }))
    expect(all[2]?.data).toEqual(responseShape({ id: response.id }))
    expect(all[3]?.data).toEqual(responseShape({ id: response.id, values: { mood: { value: 'bad' } } }))
    expect(all[5]?.data).toEqual(
      responseShape({
        id: response.id,
        values: { mood: { value: 'bad' } },
        record: recordShape({ id: record.id, status: 'pending' }),
      }),
    )
  })
})

test('one transaction is one row, unless it is very large', async () => {
  const countRows = async () =>
    (await owner.db.sql.get<{ rows: number }>('select max(no) as rows from webhook_events'))?.rows ?? 0
  const { id } = await addPublished(place())
  const add = (count: number, length: number) =>
    createRecordsBulk(
      owner,
      id,
      Array.from({ length: count }, () => ({ fields: { text: 'hello' }, metadata: { long: 'x'.repeat(length) } })) as never,
    )
  const before = await countRows()
  await add(300, 10)
  expect(await countRows()).toBe(before + 1)
  await add(10, 1_000_000)
  expect(await countRows()).toBe(before + 4)
  await told()
})
