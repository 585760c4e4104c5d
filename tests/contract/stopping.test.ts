/** A server that stops: what it tells, what it answers until its delay is over, and whom it does not wait for. */
import type { FeedPage } from '@postil/domain/change-feed'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aDataset, SMALL } from './datasets.ts'
import { type EventReader, readEvents } from './event-reader.ts'
import { closeConnections, openConnection, requestText } from './hostile/raw-socket.ts'
import { within } from './hostile/target.ts'
import { type Answer, openOwnWorld, type World } from './http.ts'
import { HANG_MS } from './server-work.ts'

/** Long enough for some requests on a busy machine. */
const DELAY_SECONDS = 6

const CHECKS = { process: 'ok', threads: 'ok', database: 'ok', schema: 'ok', search_engine: 'ok' }

let world: World
let streams: EventReader[]
let head: number
let polled: Promise<Answer<FeedPage>>
let stopped: Promise<{ code: number; ms: number }>
beforeAll(async () => {
  world = await openOwnWorld({ SERVICE_STOP_DELAY_SECONDS: String(DELAY_SECONDS) })
  expect(await ask('health/ready')).toEqual({ status: 200, body: { status: 'ready', checks: CHECKS } })
  expect(await ask('health/live')).toEqual({ status: 200, body: { status: 'live' } })
  const { id } = await aDataset(world, SMALL)
  streams = await Promise.all([world.owner, world.memberAdmin].map(caller => readEvents(world.server.url, caller, id)))
  for (const stream of streams) await stream.waitFor('progress')
  head = (await world.owner.done<FeedPage>(`GET /datasets/${id}/events`)).head
  polled = world.owner.send<FeedPage>(`GET /datasets/${id}/events?after=${head}&wait=60`)
  await openUnfinished()
  const begun = performance.now()
  stopped = world.server.close().then(code => ({ code, ms: performance.now() - begun }))
})
afterAll(async () => {
  closeConnections()
  await world?.close()
})

/** Opens connections that never finish their request, and one whose client does not go. */
async function openUnfinished(): Promise<void> {
  const create = requestText(
    'POST /api/v1/workspaces',
    [`X-Argilla-Api-Key: ${world.owner.key}`, 'Content-Length: 19'],
    '{"name"',
  )
  for (const text of ['', 'POS', create, requestText('GET /api/v1/version')]) {
    const connection = await openConnection(world)
    connection.write(text)
  }
  const sentLast = await openConnection(world)
  sentLast.write(requestText('GET /api/v1/version'))
  expect(await sentLast.answers(1)).toMatchObject([{ status: 200 }])
}

async function ask(path: string) {
  const answer = await fetch(`${world.server.url}/api/v1/${path}`, { headers: { connection: 'close' } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('it says so first and goes on serving until its delay is over', async () => {
  await expect
    .poll(() => ask('health/ready'))
    .toEqual({
      status: 503,
      body: { status: 'unready', checks: { ...CHECKS, process: 'stopping' } },
    })
  expect((await ask('health/live')).status).toBe(200)
  expect((await ask('version')).status).toBe(200)
})

test('it answers those who wait for changes', async () => {
  expect(await polled).toMatchObject({ status: 200, body: { items: [], next: head, head } })
})

test('it ends open streams itself', async () => {
  // Throws if a connection was cut at the end of the grace period.
  for (const stream of streams) await stream.ended
})

test('it exits after its delay, without waiting for clients that never finish, nor for those that do not go', async () => {
  const { code, ms } = await within(HANG_MS, stopped)
  expect(code).toBe(0)
  expect(ms).toBeGreaterThan(DELAY_SECONDS * 1_000)
})
