/**
 * Webhooks receive exactly the stored events. The server is repeatedly killed while clients add records and submit responses; in
 * the end every stored record has had all its events, in order. Some may arrive more than once. In copies of the folder between
 * kills, every event of a stored record is stored or was received, and nothing was received that is not stored.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createMeasuredDataset, type MeasuredDataset } from '../load/dataset.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkCopy, checkFolder, withDatabase } from './check-folder.ts'
import { type Client, forEachMoment } from './moments.ts'

const KILLS = 3
const COPIES_PER_KILL = 2
const CLIENTS = 3
const ENV = { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' }
const EVENTS = ['record.created', 'record.updated', 'record.completed', 'response.created']

const newFolder = openFolders()
const home = newFolder()

/** Events of each record in order of first arrival. */
const received = new Map<string, Set<string>>()
const receiver = createServer(async (request, response) => {
  const { type, data } = JSON.parse(Buffer.concat(await request.toArray().catch(() => [])).toString() || '{}')
  if (type !== undefined) {
    const recordId = data.record?.id ?? data.id
    received.set(recordId, (received.get(recordId) ?? new Set()).add(type))
  }
  response.writeHead(204).end()
})

afterAll(() => void receiver.close())

async function send<T>(connection: Connection, method: string, path: string, body?: object): Promise<T> {
  const answer = check(await connection.send(method, `/api/v1${path}`, body && JSON.stringify(body)))
  return JSON.parse(answer.body.toString())
}

const ANSWER = { status: 'submitted', values: { topic: { value: 'praise' } } }

/** Repeatedly adds three records and submits a response to the first. */
function openClient(dataset: MeasuredDataset, apiKey: string): Client & { answered: number } {
  const client = {
    apiKey,
    answered: 0,
    write: async (connection: Connection) => {
      const items = ['a', 'b', 'c'].map(text => ({ fields: { text } }))
      const bulk = await send<{ items: { id: string }[] }>(connection, 'POST', `/datasets/${dataset.id}/records/bulk`, { items })
      await send(connection, 'POST', `/records/${bulk.items[0]?.id}/responses`, ANSWER)
      client.answered++
    },
  }
  return client
}

/** Returns the events that must have been received for the stored records. */
async function listStored(server: StartedServer, dataset: MeasuredDataset): Promise<Map<string, string[]>> {
  const connection = await openConnection(server.url, server.apiKey)
  const stored = new Map<string, string[]>()
  for (let size = -1; size < stored.size; ) {
    size = stored.size
    const path = `/datasets/${dataset.id}/records?limit=1000&offset=${size}`
    const { items } = await send<{ items: { id: string; status: string }[] }>(connection, 'GET', path)
    for (const { id, status } of items) stored.set(id, status === 'completed' ? EVENTS : EVENTS.slice(0, 1))
  }
  connection.close()
  return stored
}

/** An event is stored with the change that causes it, so it never waits for another transaction. */
function expectEvents(copy: string): void {
  const { stored, waiting } = withDatabase(copy, database => ({
    stored: database.prepare('select id, status from records').all(),
    waiting: database.prepare('select events from webhook_events').all(),
  }))
  const known = new Map([...received].map(([id, types]) => [id, new Set(types)]))
  for (const { events } of waiting) {
    for (const [types, ids] of JSON.parse(String(events)) as [string[], string[]][]) {
      for (const id of ids) known.set(id, new Set([...(known.get(id) ?? []), ...types]))
    }
  }
  const expected = stored.map(({ id, status }) => [id, status === 'completed' ? EVENTS : EVENTS.slice(0, 1)])
  expect(expected.map(([id]) => [id, [...(known.get(String(id)) ?? [])].sort()])).toEqual(
    expected.map(([id, events]) => [id, [...(events as string[])].sort()]),
  )
  expect([...known.keys()].filter(id => !stored.some(record => record.id === id))).toEqual([])
}

test(`webhooks receive everything that is stored, through ${KILLS} kills and in ${KILLS * COPIES_PER_KILL} copies`, async () => {
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  let server = await startServer({ home, env: ENV })
  const { apiKey } = server
  const dataset = await createMeasuredDataset(server)
  const connection = await openConnection(server.url, apiKey)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await send(connection, 'POST', '/webhooks', { url, events: EVENTS })
  connection.close()

  const clients = Array.from({ length: CLIENTS }, () => openClient(dataset, apiKey))
  await forEachMoment(
    { seed: 28, kills: KILLS, copiesPerKill: COPIES_PER_KILL, msMax: 200 },
    {
      server: () => server,
      clients,
      copyTo: newFolder(),
      checkCopy: async copy => {
        await checkCopy(copy)
        expectEvents(copy)
      },
      checkKilled: async () => {
        checkFolder(home)
        server = await startServer({ home, env: ENV })
      },
    },
  )

  const stored = await listStored(server, dataset)
  const inOrder = () => new Map([...received].map(([id, types]) => [id, [...types]]))
  await expect.poll(inOrder).toEqual(stored)
  const answered = clients.reduce((sum, client) => sum + client.answered, 0)
  expect(answered).toBeGreaterThan(0)
  expect(stored.size).toBeGreaterThanOrEqual(3 * answered)
  expect(await server.close()).toBe(0)
})
