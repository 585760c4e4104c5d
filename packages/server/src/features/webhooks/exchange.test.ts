/** When deliveries are sent: order, retries, pauses, and changes of webhooks in between. */
import type { EventName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { Webhook } from '@postil/domain/webhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestContext } from '../../context.ts'
import { actAs, addWorkspace, openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { addDraft, addPublished, addRecords } from '../datasets/testing/datasets.ts'
import { updateDataset } from '../datasets/update.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import type { RecordRow } from '../records/store.ts'
import { updateRecord } from '../records/update.ts'
import { listOverfull } from './backlog.ts'
import { listWebhookDeliveries, listWebhookStates, listWebhooks } from './read.ts'
import { resendWebhookDelivery } from './resend.ts'
import {
  addWebhook,
  ask,
  deliver,
  openReceiver,
  openSender,
  type Receiver,
  untilOthersEnd,
  withWebhooks,
} from './testing/receiver.ts'
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from './update.ts'

const PAUSE_AFTER = 3600
const URLS = { a: 'http://a.example/', b: 'http://b.example/' }

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext({
    SERVICE_WEBHOOKS_PAUSE_AFTER_SECONDS: String(PAUSE_AFTER),
    SERVICE_WEBHOOKS_WAITING_MAX: '100',
  })
})
afterAll(() => opened.close())

describe('deliveries', () => {
  eachDatabase(db => {
    let owner: ReturnType<typeof withWebhooks<RequestContext>>
    let workspaceId: Id
    let receiver: Receiver
    let datasetId: Id
    beforeAll(async () => {
      const ctx = { ...opened, db: db() }
      workspaceId = await addWorkspace(ctx)
      owner = withWebhooks(await actAs(ctx, 'owner'))
      datasetId = (await addPublished({ owner, workspaceId })).id
    })
    beforeEach(async () => {
      receiver = openReceiver()
      for (const { id } of (await listWebhooks(owner)).items) await deleteWebhook(owner, id)
    })

    const addSome = async (count: number) => (await addRecords(owner, datasetId, Array(count).fill(null))) as RecordRow[]
    const touch = ({ id }: { id: Id }, i: number) => updateRecord(owner, id, { metadata: { i } })
    const createMany = (count: number) =>
      createRecordsBulk(owner, datasetId, Array.from({ length: count }, () => ({ fields: { text: 'hello' } })) as never)
    const stateOf = async ({ id }: Webhook) => (await listWebhookStates(owner)).items.find(({ webhook_id }) => webhook_id === id)
    const deliveriesOf = async ({ id }: Webhook, query = {}) => (await listWebhookDeliveries(owner, id, query)).items
    const dataset = (name?: string) => addDraft({ owner, workspaceId }, name)

    test('of one record are sent one after the other, also while the first is retried; others go on', async () => {
      await addWebhook(owner, ['record.updated'])
      const [one, two] = (await addSome(2)) as [RecordRow, RecordRow]
      for (const i of [1, 2, 3]) await touch(one, i)
      for (const i of [1, 2]) await touch(two, i)
      let failures = 1
      receiver.answer = ({ data }) => (data.id === one.id && failures-- > 0 ? 500 : 200)
      await deliver(owner, receiver)
      expect(receiver.told.map(({ data }) => [data.id === one.id ? 'one' : 'two', data.metadata.i])).toEqual([
        ['one', 1],
        ['two', 1],
        ['two', 2],
      ])
      owner.moveClock(11)
      await deliver(owner, receiver)
      expect(receiver.told.slice(3).map(({ data }) => data.metadata.i)).toEqual([1, 2, 3])
    })

    test('of a dataset are in order', async () => {
      await addWebhook(owner, ['dataset.created', 'dataset.updated'])
      const { id } = await dataset()
      await updateDataset(owner, id, { guidelines: 'one' })
      await updateDataset(owner, id, { guidelines: 'two' })
      await deliver(owner, receiver)
      expect(receiver.told.map(({ data }) => data.guidelines)).toEqual([null, 'one', 'two'])
    })

    test('are tried four times, after 10, 60 and 180 seconds, each with an id and a signature of its own', async () => {
      const webhook = await addWebhook(owner, ['dataset.created'])
      await dataset()
      receiver.answer = () => null
      const attempts: number[] = []
      for (const pause of [9, 2, 59, 2, 179, 2, 1000]) {
        await deliver(owner, receiver)
        attempts.push(receiver.told.length)
        owner.moveClock(pause)
      }
      expect(attempts).toEqual([1, 1, 2, 2, 3, 3, 4])
      expect(new Set(receiver.told.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
      expect(new Set(receiver.told.map(({ headers }) => headers['webhook-signature'])).size).toBe(4)
      expect(await deliveriesOf(webhook)).toMatchObject([
        { status: 'failed', attempts: 4, next_attempt_at: null, error: 'No answer within 20 seconds.', response_status: null },
      ])
      expect(await stateOf(webhook)).toMatchObject({ status: 'failing', waiting: 0, message: 'No answer within 20 seconds.' })
    })

    test('are due if the clock was set back before their next attempt', async () => {
      await addWebhook(owner, ['dataset.created'])
      await dataset()
      receiver.answer = () => 500
      owner.moveClock(86_400)
      await deliver(owner, receiver)
      owner.moveClock(-86_400)
      receiver.answer = () => 200
      await deliver(owner, receiver)
      expect(receiver.told.length).toBe(2)
    })

    test('are made as they can be sent, some in flight for each webhook, and a bulk is delivered whole', async () => {
      const webhook = await addWebhook(owner, ['record.created'])
      await createMany(250)
      const first = await ask(owner)
      expect(first).toMatchObject({ isFull: true })
      expect(first.tasks.length).toBe(8)
      // No further tasks while these are in flight.
      expect((await ask(owner, { inFlight: first.tasks })).tasks).toEqual([])
      expect((await db().sql.get<{ rows: number }>('select count(*) as rows from webhook_deliveries'))?.rows).toBeLessThan(20)
      expect(await stateOf(webhook)).toMatchObject({ waiting: 250 })
      await deliver(owner, receiver)
      expect(new Set(receiver.told.map(({ data }) => data.id)).size).toBe(250)
      expect(receiver.told.length).toBe(250)
      expect(await stateOf(webhook)).toMatchObject({ status: 'working', waiting: 0 })
    })

    test('to a target that hangs do not hold up the others', async () => {
      const hooks: Webhook[] = []
      for (let count = 0; count < 10; count++) hooks.push(await addWebhook(owner, ['record.created']))
      await createMany(20)
      const { tasks } = await ask(owner)
      const shares = Map.groupBy(tasks, ({ webhook_no }) => webhook_no)
      expect([...shares.values()].map(({ length }) => length)).toEqual(Array(10).fill(3))
      // Nine targets hang; the tenth gets its next deliveries.
      const [done = []] = shares.values()
      const inFlight = tasks.filter(task => !done.includes(task))
      const outcome = { kind: 'answered', status: 200, excerpt: '', duration_ms: 1 } as const
      const next = await ask(owner, { attempts: done.map(task => ({ ...task, outcome })), inFlight })
      expect(next.tasks.map(({ webhook_no }) => webhook_no)).toEqual(done.map(({ webhook_no }) => webhook_no))
    })

    test('go to each webhook by what it subscribes to', async () => {
      await addWebhook(owner, ['record.created'], URLS.a)
      await addWebhook(owner, ['record.updated', 'dataset.created'], URLS.b)
      await createMany(1)
      await touch((await addSome(1))[0] as RecordRow, 1)
      await dataset()
      await deliver(owner, receiver)
      const typesOf = (url: string) => receiver.told.filter(told => told.url === url).map(({ type }) => type)
      expect(typesOf(URLS.a)).toEqual(['record.created'])
      expect(typesOf(URLS.b).toSorted()).toEqual(['dataset.created', 'record.updated'])
    })

    test.each<{ events: EventName[]; title: string }>([
      { title: 'nothing is stored', events: [] },
      { title: 'nothing is stored of what nobody wants', events: ['response.deleted'] },
    ])('$title', async ({ events }) => {
      if (events.length > 0) await addWebhook(owner, events)
      const count = async () => (await db().sql.get<{ rows: number }>('select count(*) as rows from webhook_events'))?.rows
      const before = await count()
      await createMany(2)
      await dataset()
      expect(await count()).toBe(before)
    })

    test('of events from before a webhook was created or enabled are not made', async () => {
      await addWebhook(owner, ['dataset.created'], URLS.a)
      await dataset('first')
      const webhook = await addWebhook(owner, ['dataset.created'], URLS.b)
      await dataset('second')
      await updateWebhook(owner, webhook.id, { enabled: false })
      await dataset('third')
      await updateWebhook(owner, webhook.id, { enabled: true })
      await dataset('fourth')
      await deliver(owner, receiver)
      const namesOf = (url: string) => receiver.told.filter(told => told.url === url).map(({ data }) => data.name)
      expect(namesOf(URLS.a).toSorted()).toEqual(['first', 'fourth', 'second', 'third'])
      expect(namesOf(URLS.b).toSorted()).toEqual(['fourth', 'second'])
    })

    test('end with their webhook, also in flight', async () => {
      const webhook = await addWebhook(owner, ['record.created'])
      await createMany(30)
      const { tasks } = await ask(owner)
      await deleteWebhook(owner, webhook.id)
      const send = openSender(owner, receiver)
      const attempts = await Promise.all(tasks.map(async task => ({ ...task, outcome: await send(task) })))
      expect(attempts.map(({ outcome }) => outcome.kind)).toEqual(Array(8).fill('unsent'))
      expect(await ask(owner, { attempts })).toMatchObject({ tasks: [], nextAt: null })
      expect(receiver.told).toEqual([])
    })

    test('use the URL and the secret that the webhook has when they are sent', async () => {
      const webhook = await addWebhook(owner, ['dataset.created'])
      await dataset()
      await updateWebhook(owner, webhook.id, { url: URLS.b })
      await rotateWebhookSecret(owner, webhook.id)
      await deliver(owner, receiver)
      expect(receiver.told).toMatchObject([
        { url: URLS.b, headers: { 'webhook-signature': expect.stringMatching(/^v1,\S+ v1,\S+$/) } },
      ])
    })

    test('can be sent again, behind what waits for the same record', async () => {
      const webhook = await addWebhook(owner, ['dataset.created'])
      await dataset('again')
      await deliver(owner, receiver)
      const [delivery] = await deliveriesOf(webhook)
      const again = await resendWebhookDelivery(owner, webhook.id, delivery?.id ?? '')
      expect(again).toMatchObject({ status: 'waiting', attempts: 0, event: 'dataset.created', response_status: null })
      await deliver(owner, receiver)
      expect(receiver.told.map(({ data }) => data.name)).toEqual(['again', 'again'])
      expect(receiver.told[1]?.timestamp).toBe(receiver.told[0]?.timestamp)
      const other = await addWebhook(owner, ['dataset.created'])
      await expect(resendWebhookDelivery(owner, other.id, again.id)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('that all fail for long pause the webhook; enabled again, it gets what happens then', async () => {
      const webhook = await addWebhook(owner, ['record.created'])
      receiver.answer = () => 503
      await createMany(150)
      for (const pause of [11, 61, PAUSE_AFTER]) {
        await deliver(owner, receiver)
        expect(await stateOf(webhook)).toMatchObject({ status: 'failing', paused_at: null, waiting: 150 })
        owner.moveClock(pause)
      }
      await deliver(owner, receiver)
      expect(await stateOf(webhook)).toMatchObject({
        status: 'paused',
        waiting: 0,
        message: expect.stringContaining('status 503'),
      })
      expect((await listWebhooks(owner)).items).toMatchObject([{ enabled: false }])
      receiver.told = []
      receiver.answer = () => 200
      await createMany(1)
      await updateWebhook(owner, webhook.id, { enabled: true })
      await createMany(1)
      await deliver(owner, receiver)
      expect(receiver.told.length).toBe(1)
      expect(await stateOf(webhook)).toMatchObject({ status: 'working', message: null, paused_at: null, failing_since: null })
    })

    test('of which too many wait pause the webhook', async () => {
      const webhook = await addWebhook(owner, ['record.created'])
      await createMany(100)
      await untilOthersEnd(db())
      expect(await listOverfull(db(), owner.config.webhooksWaitingMax)).toEqual([])
      await ask(owner)
      await createMany(1)
      await untilOthersEnd(db())
      const overfull = await listOverfull(db(), owner.config.webhooksWaitingMax)
      expect(overfull.length).toBe(1)
      expect((await ask(owner, { overfull })).tasks).toEqual([])
      expect(await stateOf(webhook)).toMatchObject({
        status: 'paused',
        waiting: 0,
        message: expect.stringContaining('100 events'),
      })
    })
  })
})
