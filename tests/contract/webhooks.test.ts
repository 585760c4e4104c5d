/** Webhooks over HTTP: deliveries are signed, in order, and retried after failures. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventName } from '@postil/domain/events'
import { EVENTS } from '@postil/domain/events'
import type { RecordResponse } from '@postil/domain/responses'
import type { Webhook, WebhookDeliveries, WebhookState } from '@postil/domain/webhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectRefused } from './answers.ts'
import { aDataset, addRecords, aRecord, SMALL, submitted } from './datasets.ts'
import { openWorld, type World } from './http.ts'

interface Received {
  headers: IncomingHttpHeaders
  text: string
  body: { type: EventName | 'ping'; version: number; timestamp: string; data: Record<string, unknown> }
}

let world: World
let server: Server
let url: string
let received: Received[] = []
/** Response status of the receiver by path. */
const STATUSES: Record<string, number> = { '/': 200, '/in': 200, '/moved': 301, '/broken': 500 }

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    received.push({ headers: request.headers, text, body: JSON.parse(text) })
    response.writeHead(STATUSES[request.url ?? ''] ?? 404, { location: '/in' }).end('noted')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  world = await openWorld()
})
afterEach(async () => {
  const { items } = await world.owner.done<{ items: Webhook[] }>('GET /webhooks')
  for (const { id } of items) await world.owner.done(`DELETE /webhooks/${id}`)
  received = []
})
afterAll(async () => {
  await world?.close()
  server?.close()
})

const aWebhook = (events: EventName[], path = '/in') => world.owner.done<Webhook>('POST /webhooks', { url: url + path, events })
const names = () => received.map(({ body }) => body.type)
const settled = (count: number) => expect.poll(() => received.length).toBe(count)
const stateOf = async () => (await world.owner.done<{ items: WebhookState[] }>('GET /webhooks/states')).items[0]
const deliveriesOf = async ({ id }: Webhook) =>
  (await world.owner.done<WebhookDeliveries>(`GET /webhooks/${id}/deliveries`)).items

const signatureOf = (secret: string, { headers, text }: Received) =>
  `v1,${createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`)
    .digest('base64')}`

describe('a webhook', () => {
  test('gets what happens to a record and its response, in order and signed', async () => {
    const { secret } = await aWebhook(['record.created', 'record.updated', 'record.completed', 'response.created'])
    expect(secret).toMatch(/^[A-Za-z0-9+/]{86}==$/)
    const dataset = await aDataset(world, SMALL)
    const record = await aRecord(world, dataset, { external_id: 'e1', metadata: { i: 3 } })
    const response = await world.owner.done<RecordResponse>(`POST /records/${record.id}/responses`, submitted())
    await settled(4)
    expect(names()).toEqual(['record.created', 'record.updated', 'record.completed', 'response.created'])
    for (const one of received) {
      expect(one.headers['webhook-id']).toMatch(/^msg_[\w-]{22}$/)
      expect(one.headers['content-type']).toBe('application/json')
      expect(Math.abs(Number(one.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
      expect(one.headers['webhook-signature']).toBe(signatureOf(secret, one))
      expect(one.body).toMatchObject({ version: 1, timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) })
    }
    expect(received[3]?.body.data).toMatchObject({
      id: response.id,
      values: { mood: { value: 'happy' } },
      record: { id: record.id, status: 'completed', external_id: 'e1', metadata: { i: 3 }, dataset: { id: dataset.id } },
      user: { id: world.owner.id, username: world.owner.username },
    })
    await expect.poll(stateOf).toMatchObject({ status: 'working', waiting: 0, message: null })
  })

  test('gets one event for each record of a bulk', async () => {
    await aWebhook(['record.created'])
    const dataset = await aDataset(world, SMALL)
    const records = await addRecords(
      world,
      dataset,
      Array.from({ length: 120 }, (_, index) => ({ fields: { text: `text ${index}` } })),
    )
    await settled(120)
    const told = received.map(({ body }) => String(body.data.id))
    expect(told.toSorted()).toEqual(records.map(({ id }) => id).toSorted())
  })

  test.each(['/moved', '/broken'])('whose target answers badly (%s) fails, and the delivery is tried again', async path => {
    const webhook = await aWebhook(['dataset.published'], path)
    await aDataset(world, SMALL)
    await expect.poll(async () => (await deliveriesOf(webhook))[0]?.attempts).toBe(1)
    const [delivery] = await deliveriesOf(webhook)
    expect(delivery).toMatchObject({
      event: 'dataset.published',
      status: 'waiting',
      response_status: STATUSES[path],
      response_excerpt: 'noted',
      next_attempt_at: expect.any(String),
    })
    expect(await stateOf()).toMatchObject({
      status: 'failing',
      waiting: 1,
      message: expect.stringContaining(String(STATUSES[path])),
    })
  })

  test('that is enabled later gets what happens later', async () => {
    const { id } = await aWebhook(['dataset.created'])
    await world.owner.done(`PATCH /webhooks/${id}`, { enabled: false })
    const between = await aDataset(world, SMALL)
    expect(await stateOf()).toMatchObject({ status: 'disabled' })
    await world.owner.done(`PATCH /webhooks/${id}`, { enabled: true })
    const later = await aDataset(world, SMALL)
    await settled(1)
    expect(received[0]?.body.data).toMatchObject({ id: later.id })
    expect(between.id).not.toBe(later.id)
  })

  test('keeps its URL and events as given', async () => {
    const events: EventName[] = ['response.deleted', 'dataset.created']
    const { id, ...created } = await world.owner.done<Webhook>('POST /webhooks', { url: 'HTTP://Example.ORG:81', events })
    expect(created).toMatchObject({ url: 'http://example.org:81/', events, enabled: true, description: null })
    const changed = await world.owner.done<Webhook>(`PATCH /webhooks/${id}`, { ...created, id, secret: 'x', description: 'Bot' })
    expect(changed).toEqual({ ...created, id, description: 'Bot', updated_at: expect.any(String) })
    expect((await world.owner.send(`GET /webhooks/${id}`)).status).toBe(405)
  })
})

test('a ping is sent at once, whatever the target answers', async () => {
  const { id, secret } = await aWebhook(Object.keys(EVENTS) as EventName[], '/broken')
  await world.owner.done(`PATCH /webhooks/${id}`, { enabled: false })
  expect(await world.owner.send(`POST /webhooks/${id}/ping`)).toMatchObject({ status: 204, text: '' })
  expect(received[0]?.body).toMatchObject({ type: 'ping', version: 1, data: { agent: 'argilla-server', version: '2.8.0' } })
  expect(received[0]?.headers['webhook-signature']).toBe(signatureOf(secret, received[0] as Received))
})

test('a ping that cannot be delivered is a failure with the reason', async () => {
  const { id } = await world.owner.done<Webhook>('POST /webhooks', { url: 'http://127.0.0.1:9/', events: ['dataset.created'] })
  const answer = await world.owner.send(`POST /webhooks/${id}/ping`)
  expect(answer).toMatchObject({ status: 500, body: { detail: expect.stringContaining('could not be delivered') } })
})

test('both secrets sign after a rotation, the new one first', async () => {
  const before = await aWebhook(['dataset.created'])
  const after = await world.owner.done<Webhook>(`POST /webhooks/${before.id}/secret`)
  expect(after.secret).not.toBe(before.secret)
  expect(await stateOf()).toMatchObject({ previous_secret_until: expect.any(String) })
  await aDataset(world, SMALL)
  await settled(1)
  const [one] = received as [Received]
  expect(one.headers['webhook-signature']).toBe(`${signatureOf(after.secret, one)} ${signatureOf(before.secret, one)}`)
})

test('a delivery can be sent again, with the same content', async () => {
  const webhook = await aWebhook(['dataset.created'])
  await aDataset(world, SMALL)
  await settled(1)
  await expect.poll(async () => (await deliveriesOf(webhook))[0]?.status).toBe('succeeded')
  const [delivery] = await deliveriesOf(webhook)
  await world.owner.done(`POST /webhooks/${webhook.id}/deliveries/${delivery?.id}/resend`)
  await settled(2)
  expect(received[1]?.text).toBe(received[0]?.text)
  expect(received[1]?.headers['webhook-id']).not.toBe(received[0]?.headers['webhook-id'])
  const page = await world.owner.done<WebhookDeliveries>(`GET /webhooks/${webhook.id}/deliveries?limit=1`)
  expect(page.next).not.toBeNull()
  const rest = await world.owner.done<WebhookDeliveries>(`GET /webhooks/${webhook.id}/deliveries?limit=1&before=${page.next}`)
  expect(rest).toMatchObject({ items: [{ id: delivery?.id }], next: null })
})

test('there can be ten webhooks', async () => {
  for (let count = 0; count < 10; count++) await aWebhook(['dataset.created'])
  expectRefused(await world.owner.send('POST /webhooks', { url, events: ['dataset.created'] }))
})

test.each(['http://169.254.169.254/latest', 'http://user:secret@example.org/'])('%s is refused', async refused => {
  expectRefused(await world.owner.send('POST /webhooks', { url: refused, events: ['dataset.created'] }))
  const { id } = await aWebhook(['dataset.created'])
  expectRefused(await world.owner.send(`PATCH /webhooks/${id}`, { url: refused }))
})
