/**
 * The search engine is killed, overloaded, slow, read-only or unreachable while clients write. Writes continue, searches fail
 * with a sentence that explains it, and after recovery the index matches the database.
 *
 * POSTIL_TEST_ENGINE selects the engine, which this file starts. The tests are skipped without one.
 */
import { setTimeout } from 'node:timers/promises'
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { caller } from '../contract/http.ts'
import type { EngineName } from '../engines/build.ts'
import { type StartedEngine, startEngine } from '../engines/start.ts'
import { openRandom } from '../load/corpus.ts'
import { ingest } from '../load/dataset.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectVerified } from './check-postgres.ts'
import { type EngineRequest, type HttpProxy, openHttpProxy, REFUSALS } from './http-proxy.ts'
import { type Ingest, startIngest } from './ingest.ts'
import { expectFound, expectWhole, type FaultWorld, listStored, openFaultWorld, openLines } from './world.ts'

const NAME = process.env.POSTIL_TEST_ENGINE ?? 'embedded'
const WRITERS = 2
const PREFIX = 'faults'
/** Maximum number of log lines of a fault: its start, repeated failures from time to time, and its end. */
const LINES_MAX = 10
/** More records than the maximum that is indexed without a lease. */
const LATE = 200

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

  /** Causes a fault while clients write, and compares the data afterwards. No write may be refused. */
  async function during(fault: (ingest: Ingest) => Promise<void>): Promise<string[]> {
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
    return printed
  }

  /** Polls, because the server retries with a delay. */
  async function expectSearchable(): Promise<void> {
    const lines = openLines(server)
    const ask = async () => {
      const { status, text } = await search()
      return status === 200 ? 'found' : `${status} ${text}\n${lines().join('\n')}`
    }
    await expect.poll(ask, { timeout: 120_000, interval: 500 }).toBe('found')
  }

  async function expectUnsearchable(ingest: Ingest): Promise<void> {
    // So that the search has to wait for the index.
    await ingest.more(5)
    const { status, text, headers } = await search()
    expect([status, text]).toEqual([503, expect.stringMatching(/search (engine|index)/i)])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }

  test('it is killed and started again', async () => {
    const lines = openLines(server)
    await during(async ingest => {
      await engine.kill()
      await expectUnsearchable(ingest)
      await engine.restart()
    })
    expect(lines().find(line => line.includes('Records are'))).toContain('not indexed at the moment')
    await expect.poll(() => lines().some(line => line.includes('Records are indexed again'))).toBe(true)
    expect(lines().join()).not.toContain('"stack"')
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
    const ingest = newIngest()
    proxy.rule = () => ({ kind: 'delay', ms: 60 })
    await ingest.more(30)
    await ingest.stop()
    // Still slow, but written records are found.
    await expectSearchable()
    await expectWhole(server, world, ingest)
    expect(ingest.failed()).toBe(0)
  })

  test('its indexes can only be read, as after a full disk', async () => {
    const lines = openLines(server)
    const isTold = () => lines().some(line => line.includes('A dataset cannot be indexed at the moment'))
    await during(async ingest => {
      await block(true)
      await expectUnsearchable(ingest)
      await expect.poll(isTold).toBe(true)
      await block(false)
    })
  })

  /** True if a process holds the lease of the index. */
  async function isHeld(): Promise<boolean> {
    const answer = await fetch(`${engine.url}/${PREFIX}.states/_doc/${world.dataset.id}`)
    return ((await answer.json()) as { _source: { holder: string | null } })._source.holder !== null
  }

  /** Sets the same block as the engine does when its disk is full. */
  async function block(isBlocked: boolean): Promise<void> {
    const answer = await fetch(`${engine.url}/${PREFIX}*/_settings?expand_wildcards=all`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ 'index.blocks.read_only_allow_delete': isBlocked ? true : null }),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }

  test('the server is killed between commit and indexing, while it holds the lease', async () => {
    const writing = newIngest()
    await writing.more(5)
    await writing.stop()
    await expectSearchable()
    proxy.rule = ({ path }: EngineRequest) => (path.includes('_bulk') ? { kind: 'hang' } : null)
    await ingest(server, world.dataset, 0, LATE, 1)
    await expect.poll(isHeld).toBe(true)
    await server.kill()
    proxy.rule = null
    server = await start()
    const owner = caller(server.url, server.apiKey)
    const records = await listStored(owner, world.dataset)
    const isLate = ({ external_id }: DatasetRecord) => Number(external_id?.replace('record-', '')) < LATE
    writing.expectStored(records.filter(record => !isLate(record)))
    expect(records.filter(isLate)).toHaveLength(LATE)
    // The lease of the killed process expires.
    await expectSearchable()
    await expectFound(owner, world.dataset, records)
  })

  test('in the end the index equals the store', async () => {
    expect(await server.close()).toBe(0)
    // Not through the proxy, because this process blocks while the command runs.
    expectVerified({ ...server.env, SERVICE_ELASTICSEARCH: engine.url, SERVICE_ELASTICSEARCH_TIMEOUT: '120' })
  })
})
