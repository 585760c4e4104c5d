/**
 * PostgreSQL stops, is killed, or cannot be reached while clients write. Nothing that was answered is lost, the server goes on by itself when
 * the database is back, and it says what is wrong in few lines.
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
/** Of an outage: what fails first, and that it works again. */
const LINES_MAX = 15
/** What goes on failing is said again now and then. */
const LINES_PER_SECOND_MAX = 0.1

let postgres: RestartablePostgres
let proxy: TcpProxy
let server: StartedServer
let world: FaultWorld

beforeAll(async () => {
  postgres = await openRestartablePostgres()
  proxy = await openTcpProxy(postgres.url)
  server = await startServer({ env: { SERVICE_DATABASE_URL: proxy.url, SERVICE_DATABASE_POSTGRESQL_TIMEOUT: '2' } })
})
// What a test leaves behind when it fails must not fail the next.
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

/** Lets clients write, makes something fail, and compares when they are through. */
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

/** While the database is away: 503 with a sentence for reads and writes. */
async function expectUnavailable(): Promise<void> {
  const owner = caller(server.url, server.apiKey)
  const path = `/datasets/${world.dataset.id}`
  const calls = [`GET ${path}`, `GET ${path}/records`, `POST ${path}/records/search`]
  const answers = await Promise.all(calls.map(call => owner.send(call, call.startsWith('POST') ? {} : undefined)))
  const said = answers.map(({ status, text }) => ({ status, text }))
  expect(said).toEqual(calls.map(() => ({ status: 503, text: expect.stringMatching(/database/i) })))
}

test('PostgreSQL is stopped and started again', async () => {
  const lines = await during(async () => {
    await postgres.stop()
    await expectUnavailable()
    await setTimeout(2_000)
    await postgres.start()
  })
  expect(lines.filter(line => /database/i.test(line)).length).toBeGreaterThan(0)
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

test('the network carries nothing for a while', async () => {
  await during(async () => {
    proxy.hang()
    await expectUnavailable()
    proxy.resume()
  })
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
  // Not through the proxy: this process waits for the command.
  expectVerified({ ...server.env, SERVICE_DATABASE_URL: postgres.url })
  expect(await server.close()).toBe(0)
  await expectRules(postgres.url)
})
