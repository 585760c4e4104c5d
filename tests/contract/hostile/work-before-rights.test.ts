/**
 * Permissions are checked from the path before the body is read, so that unauthorized requests cannot make the server parse large
 * bodies.
 */
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectProblems, expectRefused } from '../answers.ts'
import { aDataset, addRecords, type BuiltDataset, first, SMALL } from '../datasets.ts'
import { type Caller, NO_ID, openWorld, type World } from '../http.ts'
import { closeConnections, openConnection } from './raw-socket.ts'
import { sendJson } from './target.ts'

let world: World
let dataset: BuiltDataset
let record: DatasetRecord
beforeAll(async () => {
  world = await openWorld()
  dataset = await aDataset(world, SMALL)
  record = first(await addRecords(world, dataset, [{ fields: { text: 'An apple' } }]))
})
afterEach(closeConnections)
afterAll(() => world?.close())

const ROUTES = [
  'POST /datasets/:dataset_id/records/bulk',
  'PUT /datasets/:dataset_id/records/bulk',
  'POST /datasets/:dataset_id/records',
  'PATCH /datasets/:dataset_id/records',
  'POST /datasets/:dataset_id/records/search',
  'POST /me/datasets/:dataset_id/records/search',
  'POST /me/datasets/:dataset_id/records/counts',
  'POST /me/datasets/:dataset_id/responses/by-filter',
  'PATCH /records/:record_id',
  'PUT /records/:record_id/suggestions',
  'POST /records/:record_id/suggestions',
]

const withIds = (route: string, ids = { dataset: dataset.id, record: record.id }) =>
  route.replace(':dataset_id', ids.dataset).replace(':record_id', ids.record)

describe.each(ROUTES)('%s', route => {
  const send = (caller: Caller, ids?: { dataset: string; record: string }) => sendJson(caller, withIds(route, ids), '{"a":')

  test('a broken body: 403 without the right, 404 of nothing, and else the place of the fault', async () => {
    expectForbidden(await send(world.strangerAnnotator))
    expectForbidden(await send(world.strangerAdmin))
    expectRefused(await send(world.owner, { dataset: NO_ID, record: NO_ID }), 404)
    expectProblems(await send(world.owner), [['json_invalid', 'body', 5]])
    expectProblems(await send(world.owner, { dataset: 'nonsense', record: 'nonsense' }), [['json_invalid', 'body', 5]])
    expectProblems(await send(world.nobody), [['json_invalid', 'body', 5]])
  })

  test('a large body that never comes is refused at once', async () => {
    const [method, path] = withIds(route).split(' ')
    const key = (await world.strangerAnnotator.done<{ api_key: string }>('GET /me')).api_key
    const connection = await openConnection(world)
    connection.write(
      `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\nX-Argilla-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"items":[`,
    )
    const [answer] = await connection.answers(1, 30_000)
    expect(answer?.status).toBe(403)
  })
})
