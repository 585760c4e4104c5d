/** Server-sent events of a dataset: who receives which events, whose stream ends, and that the server can still stop. */
import { setTimeout } from 'node:timers/promises'
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { DatasetMetrics, MyDatasetMetrics } from '@postil/domain/datasets'
import type { RecordComment } from '@postil/domain/notes'
import type { RecordResponse } from '@postil/domain/responses'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectUnauthorized } from './answers.ts'
import { aDataset, aRecord, type BuiltDataset, draft, idOf, SMALL, submitted } from './datasets.ts'
import { type EventReader, readEvents } from './event-reader.ts'
import { aMember, type Caller, openWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
const readers: EventReader[] = []
beforeAll(async () => {
  world = await openWorld()
})
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  // The server detects a closed connection with a short delay.
  await setTimeout(50)
})
afterAll(() => world?.close())

async function open(caller: Caller, datasetId = dataset.id): Promise<EventReader> {
  const reader = await readEvents(world.server.url, caller, datasetId)
  readers.push(reader)
  return reader
}

/** Opens a stream and waits until the writer thread has registered it. */
async function opened(caller: Caller, datasetId = dataset.id): Promise<EventReader> {
  const reader = await open(caller, datasetId)
  await reader.waitFor('progress')
  await setTimeout(100)
  return reader
}

describe('the events of a dataset', () => {
  beforeAll(async () => {
    dataset = await aDataset(world, SMALL)
  })

  test('begin with the progress of all and the metrics of the caller', async () => {
    await aRecord(world, dataset)
    const reader = await open(world.memberAnnotator)
    expect(reader.status).toBe(200)
    expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reader.headers.get('cache-control')).toBe('no-cache, no-transform')
    const { data } = await reader.waitFor('progress')
    expect(data.progress).toEqual(await world.memberAnnotator.done(`GET /datasets/${dataset.id}/progress`))
    const { metrics } = await world.memberAnnotator.done<DatasetWithIncludes>(`GET /datasets/${dataset.id}?include=metrics`)
    expect(data.metrics).toEqual(metrics)
    expect(metrics).toMatchObject(await world.memberAnnotator.done<DatasetMetrics>(`GET /me/datasets/${dataset.id}/metrics`))
  })

  test('are found by any spelling of the id', async () => {
    const reader = await opened(world.owner, dataset.id.toUpperCase().replaceAll('-', ''))
    const record = await aRecord(world, dataset)
    await world.owner.done(`POST /records/${record.id}/responses`, draft())
    await reader.waitFor('response-changed')
  })

  test('tell a response to its author’s other pages, and its record to all', async () => {
    const record = await aRecord(world, dataset)
    const [own, other] = [await opened(world.memberAnnotator), await opened(world.memberAdmin)]
    const leftIn = ({ metrics }: Record<string, unknown>) => (metrics as MyDatasetMetrics).pending_for_me
    const leftBefore = leftIn((await other.waitFor('progress')).data)
    const response = await world.memberAnnotator.done<RecordResponse>(`POST /records/${record.id}/responses`, submitted())
    expect((await own.waitFor('response-changed')).data).toEqual({
      record_id: record.id,
      status: 'submitted',
      updated_at: response.updated_at,
    })
    for (const reader of [own, other]) {
      expect((await reader.waitFor('record-completed')).data).toEqual({ record_id: record.id })
    }
    const isDone = ({ progress }: Record<string, unknown>) => (progress as { completed: number }).completed === 1
    await other.waitFor('progress', isDone)
    await other.waitFor('progress', data => leftIn(data) === leftBefore - 1)
    await own.waitFor('progress', ({ metrics }) => (metrics as { responses: { submitted: number } }).responses.submitted === 1)

    await world.memberAnnotator.done(`DELETE /responses/${response.id}`)
    await own.waitFor('response-changed', ({ status }) => status === null)
    await other.waitFor('progress', data => !isDone(data))
    expect(other.events.map(({ name }) => name)).not.toContain('response-changed')
  })

  test('tell progress once a second at most', async () => {
    const reader = await opened(world.owner)
    const started = performance.now()
    for (let i = 0; i < 30; i++) {
      await aRecord(world, dataset)
      await setTimeout(50)
    }
    await setTimeout(1_100)
    const seconds = (performance.now() - started) / 1000
    const count = reader.events.filter(({ name }) => name === 'progress').length
    expect(count).toBeGreaterThan(1)
    expect(count).toBeLessThanOrEqual(Math.ceil(seconds) + 2)
    const progress = await world.owner.done(`GET /datasets/${dataset.id}/progress`)
    await expect.poll(() => reader.events.at(-1)?.data.progress).toEqual(progress)
  })

  test('tell changed settings and comments', async () => {
    const reader = await opened(world.memberAnnotator)
    await world.owner.done(`PATCH /datasets/${dataset.id}`, { guidelines: 'Take your time.' })
    await reader.waitFor('settings-changed', ({ what }) => what === 'dataset')
    await world.owner.done(`PATCH /questions/${idOf(dataset.questions, 'mood')}`, { title: 'The mood' })
    await reader.waitFor('settings-changed', ({ what }) => what === 'questions')
    const record = await aRecord(world, dataset)
    const comment = await world.owner.done<RecordComment>(`POST /records/${record.id}/comments`, { body: 'Look.' })
    await reader.waitFor('comment', ({ comment_id, deleted }) => comment_id === comment.id && deleted === false)
    await world.owner.done(`DELETE /comments/${comment.id}`)
    await reader.waitFor('comment', ({ comment_id, deleted }) => comment_id === comment.id && deleted === true)
  })

  test('of another dataset are not told', async () => {
    const reader = await opened(world.owner)
    const other = await aDataset(world, SMALL)
    const record = await aRecord(world, other)
    await world.owner.done(`POST /records/${record.id}/responses`, submitted())
    await setTimeout(300)
    expect(reader.events.map(({ name }) => name)).toEqual(['progress'])
  })
})

describe('a stream ends', () => {
  test('when the dataset is deleted', async () => {
    const { id } = await aDataset(world, SMALL)
    const reader = await opened(world.memberAnnotator, id)
    await world.owner.done(`DELETE /datasets/${id}`)
    await reader.ended
    expect(reader.events.at(-1)?.name).toBe('dataset-deleted')
  })

  test('when its reader leaves the workspace, at the next change', async () => {
    const { id } = dataset
    const member = await aMember(world)
    const reader = await opened(member, id)
    await world.owner.done(`DELETE /workspaces/${world.workspaceId}/users/${member.id}`)
    await aRecord(world, dataset)
    await reader.ended
    expectForbidden(await member.send(`GET /me/datasets/${id}/events`))
  })

  test('when its reader is deleted, at the next change', async () => {
    const member = await aMember(world)
    const reader = await opened(member, dataset.id)
    await world.owner.done(`DELETE /users/${member.id}`)
    await aRecord(world, dataset)
    await reader.ended
    expectUnauthorized(await member.send(`GET /me/datasets/${dataset.id}/events`))
  })
})

test('a seventh stream of one person is refused until one is closed', async () => {
  const member = await aMember(world)
  for (let i = 0; i < 6; i++) expect((await opened(member)).status).toBe(200)
  const answer = await member.send(`GET /me/datasets/${dataset.id}/events`)
  expect(answer).toMatchObject({ status: 429, body: { detail: expect.stringMatching(/6 event streams/) } })
  expect((await opened(world.memberAdmin)).status).toBe(200)
  readers[0]?.close()
  await setTimeout(100)
  expect((await opened(member)).status).toBe(200)
})
