/**
 * PostgreSQL stops, is killed, or is unreachable while clients write. No acknowledged write is lost, the server recovers when the
 * database is back, and it logs the fault in a few lines.
 */
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { caller } from '../contract/http.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectRules, expectVerified } from './check-postgres.ts'
import { type Ingest, startIngest } from './ingest.ts'
import { openRestartablePostgres, type RestartablePostgres } from './postgres.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { expectWhole, type FaultWorld, openFaultWorld, openLines } from './world.ts'

const WRITERS = 3
/** Maximum number of log lines of an outage: the first failures, and the recovery. */
const LINES_MAX = 15
/** Repeated failures are logged from time to time. */
const LINES_PER_SECOND_MAX = 0.1
/**
 * Limit for a request while the database does not respond: about 8 seconds, more on a busy machine. A statement may take 30
 * seconds.
 */
const HANGING_MS_MAX = 20_000

let postgres: RestartablePostgres
let proxy: TcpProxy
let server: StartedServer
let world: FaultWorld

beforeAll(async () => {
  postgres = await openRestartablePostgres()
  proxy = await openTcpProxy(postgres.url)
  server = await startServer({ env: { SERVICE_DATABASE_URL: proxy.url } })
})
// The state that a failed test leaves must not fail the next test.
afterEach(async () => {
  proxy.delayMs = 0
  proxy.resume()
  await postgres.start()
})
afterAll(async () => {
  await server?.close()
  await proxy?.close()
  await postgres?.remove()
})

beforeEach(async () => {
  world = await openFaultWorld(server)
})

const newIngest = () => startIngest({ urls: [server.url], apiKey: server.apiKey }, world.dataset, WRITERS, world.recordIds)

/** Causes a fault while clients write, and compares the data afterwards. */
async function during(fault: (ingest: Ingest) => Promise<void>): Promise<string[]> {
  const lines = openLines(server)
  const began = performance.now()
  const ingest = newIngest()
  await ingest.more(20)
  await fault(ingest)
  await ingest.more(20)
  await ingest.stop()
  await expectWhole(server, world, ingest)
  await expectRules(postgres.url)
  const printed = lines()
  const seconds = (performance.now() - began) / 1000
  expect(printed.length, printed.join('\n')).toBeLessThanOrEqual(LINES_MAX + seconds * LINES_PER_SECOND_MAX)
  return printed
}

/** While the database is down, reads and writes return 503 with a sentence. */
async function expectUnavailable(): Promise<void> {
  const owner = caller(server.url, server.apiKey)
  const path = `/datasets/${world.dataset.id}`
  const calls = [`GET ${path}`, `GET ${path}/records`, `POST ${path}/records/search`]
  const answers = await Promise.all(calls.map(call => owner.send(call, call.startsWith('POST') ? {} : undefined)))
  const said = answers.map(({ status, text }) => ({ status, text }))
  expect(said).toEqual(calls.map(() => ({ status: 503, text: expect.stringMatching(/database/i) })))
}

/** Expects one line when the connection to the other processes is lost and one when it is back, both without a stack trace. */
function expectFewOfBus(lines: readonly string[]): void {
  const ofBus = lines.filter(line => line.includes('other processes'))
  expect(ofBus.length, lines.join('\n')).toBeLessThanOrEqual(2)
  expect(ofBus.join()).not.toContain('"stack"')
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

test('PostgreSQL is stopped and started again', async () => {
  const lines = openLines(server)
  await during(async () => {
    await postgres.stop()
    await expectUnavailable()
    await setTimeout(2_000)
    await postgres.start()
  })
  expect(lines().filter(line => /database/i.test(line)).length).toBeGreaterThan(0)
  // The pause before the next attempt may be up to ten seconds.
  await expect.poll(() => lines().some(line => line.includes('other processes can be reached again'))).toBe(true)
  expectFewOfBus(lines())
})

test('PostgreSQL is killed and recovers', async () => {
  await during(async () => {
    await postgres.kill()
    await expectUnavailable()
    await postgres.start()
  })
})

test('connections are cut again and again', async () => {
  await during(async ingest => {
    for (let i = 0; i < 10; i++) {
      await ingest.more(3)
      proxy.cut()
    }
  })
})

test('the network carries nothing for a while: requests are answered long before their statements would be ended', async () => {
  const lines = await during(async () => {
    proxy.hang()
    const first = await timeOf(expectUnavailable)
    expect(first).toBeLessThan(HANGING_MS_MAX)
    // The outage is known by now, so requests fail without waiting.
    expect(await timeOf(expectUnavailable)).toBeLessThan(first)
    proxy.resume()
  })
  expectFewOfBus(lines)
})

test('the network is slow', async () => {
  const ingest = newIngest()
  proxy.delayMs = 30
  await ingest.more(30)
  proxy.delayMs = 0
  await ingest.stop()
  expect(ingest.failed()).toBe(0)
  await expectWhole(server, world, ingest)
})

test('in the end the index equals the store, in this server and in the next', async () => {
  // Not through the proxy, because this process blocks while the command runs.
  expectVerified({ ...server.env, SERVICE_DATABASE_URL: postgres.url })
  expect(await server.close()).toBe(0)
  await expectRules(postgres.url)
})
