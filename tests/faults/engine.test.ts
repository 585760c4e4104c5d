/**
 * The search engine is killed, overloaded, slow, read-only or cannot be reached while clients write. Writes go on, searches say in a
 * sentence that they cannot be answered, and once the engine works again the index equals the store.
 *
 * POSTIL_TEST_ENGINE names the engine, which this file starts itself; without one there is nothing to test.
 */
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { caller } from '../contract/http.ts'
import type { EngineName } from '../engines/build.ts'
import { type StartedEngine, startEngine } from '../engines/start.ts'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectVerified } from './check-postgres.ts'
import { type EngineRequest, type HttpProxy, openHttpProxy, REFUSALS } from './http-proxy.ts'
import { type Ingest, startIngest } from './ingest.ts'
import { expectFound, expectWhole, type FaultWorld, listStored, openFaultWorld, openLines } from './world.ts'

const NAME = process.env.POSTIL_TEST_ENGINE ?? 'embedded'
const WRITERS = 2
const PREFIX = 'faults'
/** Of a fault: that it began, and that it ended; a fault that comes and goes says so each time. */
const LINES_MAX = 30

describe.skipIf(NAME === 'embedded')(`faults of ${NAME}`, () => {
  const home = openFolders()()
  let engine: StartedEngine
  let proxy: HttpProxy
  let server: StartedServer
  let world: FaultWorld

  const start = () =>
    startServer({
      home,
      env: {
        SERVICE_SEARCH_ENGINE: NAME,
        SERVICE_ELASTICSEARCH: proxy.url,
        SERVICE_ES_INDEX_PREFIX: PREFIX,
        SERVICE_ELASTICSEARCH_TIMEOUT: '8',
        SERVICE_SEARCH_WAIT_SECONDS: '8',
      },
    })
  beforeAll(async () => {
    engine = await startEngine(NAME as EngineName)
    proxy = await openHttpProxy(engine.url)
    server = await start()
  })
  beforeEach(async () => {
    world = await openFaultWorld(server)
  })
  afterEach(() => {
    proxy.rule = null
  })
  afterAll(async () => {
    await server?.close()
    await proxy?.close()
    await engine?.stop()
  })

  const newIngest = () => startIngest({ urls: [server.url], apiKey: server.apiKey }, world.dataset, WRITERS, world.recordIds)
  const search = () => caller(server.url, server.apiKey).send(`POST /datasets/${world.dataset.id}/records/search`, {})

  /** Lets clients write, makes something fail, and compares when they are through. Not one write is refused. */
  async function during(fault: (ingest: Ingest) => Promise<void>): Promise<void> {
    const lines = openLines(server)
    const ingest = newIngest()
    await ingest.more(10)
    await fault(ingest)
    await ingest.more(10)
    await ingest.stop()
    proxy.rule = null
    await expectSearchable()
    await expectWhole(server, world, ingest)
    expect(ingest.failed(), ingest.lastRefusal()).toBe(0)
    const printed = lines()
    expect(printed.length, printed.join('\n')).toBeLessThanOrEqual(LINES_MAX)
  }

  /** It may take a moment until the server tries again. */
  async function expectSearchable(): Promise<void> {
    const lines = openLines(server)
    const ask = async () => {
      const { status, text } = await search()
      return status === 200 ? 'found' : `${status} ${text}\n${lines().join('\n')}`
    }
    await expect.poll(ask, { timeout: 120_000, interval: 500 }).toBe('found')
  }

  async function expectUnsearchable(ingest: Ingest): Promise<void> {
    // So that the search has something to wait for.
    await ingest.more(5)
    const { status, text, headers } = await search()
    expect([status, text]).toEqual([503, expect.stringMatching(/search (engine|index)/i)])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }

  test('it is killed and started again', async () => {
    await during(async ingest => {
      await engine.kill()
      await expectUnsearchable(ingest)
      await engine.restart()
    })
  })

  test.each(Object.entries(REFUSALS))('it answers for a while: %s', async (_name, refusal) => {
    await during(async ingest => {
      proxy.rule = () => refusal
      await expectUnsearchable(ingest)
      await setTimeout(2_000)
      expect(proxy.faults()).toBeGreaterThan(0)
    })
  })

  test('it does not answer for a while', async () => {
    await during(async ingest => {
      proxy.rule = () => ({ kind: 'hang' })
      await expectUnsearchable(ingest)
    })
  })

  test('answers are lost again and again', async () => {
    const random = openRandom(5)
    await during(async ingest => {
      proxy.rule = () => (random() < 0.3 ? { kind: random() < 0.5 ? 'lose answer' : 'cut' } : null)
      for (let i = 0; i < 10; i++) {
        await ingest.more(5)
        await search()
      }
    })
  })

  test('the network is slow', async () => {
    await during(async ingest => {
      proxy.rule = () => ({ kind: 'delay', ms: 60 })
      for (let i = 0; i < 5; i++) {
        await ingest.more(3)
        await expectSearchable()
      }
    })
  })

  test('its indexes can only be read, as after a full disk', async () => {
    await during(async ingest => {
      await block(true)
      await expectUnsearchable(ingest)
      await block(false)
    })
  })

  /** What the engine does itself when its disk is full. */
  async function block(isBlocked: boolean): Promise<void> {
    const answer = await fetch(`${engine.url}/${PREFIX}*/_settings?expand_wildcards=all`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ 'index.blocks.read_only_allow_delete': isBlocked ? true : null }),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }

  test('the server is killed between commit and indexing, while it holds the lease', async () => {
    const ingest = newIngest()
    await ingest.more(5)
    const before = proxy.faults()
    proxy.rule = ({ path }: EngineRequest) => (path.includes('_bulk') ? { kind: 'hang' } : null)
    await ingest.more(5)
    await ingest.stop()
    await expect.poll(proxy.faults, { timeout: 10_000 }).toBeGreaterThan(before)
    await server.kill()
    proxy.rule = null
    server = await start()
    const owner = caller(server.url, server.apiKey)
    const records = await listStored(owner, world.dataset)
    ingest.expectStored(records)
    // The lease of the killed process ends by itself.
    await expectSearchable()
    await expectFound(owner, world.dataset, records)
  })

  test('in the end the index equals the store', async () => {
    expect(await server.close()).toBe(0)
    expectVerified({ ...server.env, SERVICE_ELASTICSEARCH: engine.url })
  })
})
