/** Health routes of a real server, until it stops. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServer } from '../server.ts'

const DELAY_SECONDS = 3

test('a server that stops says so first and goes on serving until its delay is over', async () => {
  const server = await startServer({ env: { SERVICE_STOP_DELAY_SECONDS: String(DELAY_SECONDS) } })
  const ask = async (path: string) => {
    const answer = await fetch(`${server.url}/api/v1/${path}`, { headers: { connection: 'close' } })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  expect(await ask('health/live')).toEqual({ status: 200, body: { status: 'live' } })
  const checks = { process: 'ok', threads: 'ok', database: 'ok', schema: 'ok', search_engine: 'ok' }
  expect(await ask('health/ready')).toEqual({ status: 200, body: { status: 'ready', checks } })

  const begun = performance.now()
  const closing = server.close()
  await pause(500)
  expect(await ask('health/ready')).toEqual({
    status: 503,
    body: { status: 'unready', checks: { ...checks, process: 'stopping' } },
  })
  expect((await ask('health/live')).status).toBe(200)
  expect((await ask('version')).status).toBe(200)
  expect(await closing).toBe(0)
  expect(performance.now() - begun).toBeGreaterThan(DELAY_SECONDS * 1_000)
})
