/**
 * Processes that hold a lease and are killed, or are paused until another process has taken it over. Tested with jobs on any
 * engine; with a search cluster (`POSTIL_TEST_ENGINE`, `POSTIL_TEST_ENGINE_URL`) also with the leases of its indexes.
 */
import { randomBytes } from 'node:crypto'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import { type PostgresServer, runOn, startPostgres } from '@postil/server/testing/postgres-server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, caller } from '../contract/http.ts'
import { ingest } from '../load/dataset.ts'
import { openFolders } from '../postil.ts'
import { type StartedWorker, startWorker } from '../processes.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectRules, expectVerified } from './check-postgres.ts'
import { type HttpProxy, openHttpProxy } from './http-proxy.ts'
import { expectFound, type FaultWorld, listStored, openFaultWorld, openLines } from './world.ts'

const NAME = process.env.POSTIL_TEST_ENGINE ?? 'embedded'
const HAS_CLUSTER = NAME !== 'embedded'
const ENGINE_URL = process.env.POSTIL_TEST_ENGINE_URL ?? ''
const PREFIX = `leases-${randomBytes(6).toString('hex')}`
const JOB_RECORDS = 1_500
/** More than the maximum that is written without a lease. */
const MANY = 500

const home = openFolders()()
let postgres: PostgresServer
/** Each process has a separate proxy to the engine. */
let proxies: [HttpProxy, HttpProxy] | null = null
const processes: (StartedServer | StartedWorker)[] = []

beforeAll(async () => {
  if (HAS_CLUSTER) proxies = [await openHttpProxy(ENGINE_URL), await openHttpProxy(ENGINE_URL)]
  postgres = await startPostgres({ settings: { max_connections: '200' } })
})
afterEach(async () => {
  for (const proxy of proxies ?? []) proxy.rule = null
  for (const running of processes.splice(0)) await running.close()
})
afterAll(async () => {
  await postgres?.stop()
  for (const proxy of proxies ?? []) await proxy.close()
})

const toEnv = (engineUrl: string | undefined): Record<string, string> => ({
  SERVICE_DATABASE_URL: postgres.url,
  SERVICE_SEARCH_ENGINE: NAME,
  ...(engineUrl && { SERVICE_ELASTICSEARCH: engineUrl, SERVICE_ES_INDEX_PREFIX: PREFIX, SERVICE_SEARCH_WAIT_SECONDS: '60' }),
})

async function openServer(engineUrl: string | undefined, args: string[] = []): Promise<StartedServer> {
  const server = await startServer({ home, env: toEnv(engineUrl), args })
  processes.push(server)
  return server
}

async function openWorker(server: StartedServer, engineUrl: string | undefined): Promise<StartedWorker> {
  const worker = await startWorker({ ...server.env, ...toEnv(engineUrl) })
  processes.push(worker)
  return worker
}

/** Returns the state of an index, as stored in the cluster. */
async function findState({ dataset }: FaultWorld): Promise<{ holder: string | null; change_no: number } | null> {
  const answer = await fetch(`${ENGINE_URL}/${PREFIX}.states/_doc/${dataset.id}`)
  return ((await answer.json()) as { _source?: { holder: string | null; change_no: number } })._source ?? null
}

async function findHead({ dataset }: FaultWorld): Promise<unknown> {
  return (await runOn(postgres.url, `select change_no from dataset_heads where dataset_id = '${dataset.id}'`))[0]?.change_no
}

interface HeldRequests {
  /** Forwards the waiting requests; later ones wait again. */
  next(): void
  /** Forwards all requests from now on. */
  release(): void
}

/** Holds requests that write documents at the proxy. The other process cannot index meanwhile. */
function holdWrites([holder, other]: [HttpProxy, HttpProxy]): HeldRequests {
  let waiting = Promise.withResolvers<void>()
  holder.rule = ({ path }) => (path.includes('_bulk') ? { kind: 'hold', until: waiting.promise } : null)
  other.rule = () => ({ kind: 'cut' })
  return {
    next: () => {
      const { resolve } = waiting
      waiting = Promise.withResolvers<void>()
      resolve()
    },
    release: () => {
      holder.rule = null
      waiting.resolve()
    },
  }
}

/**
 * Waits until the process behind the proxy writes under a lease. A few changes are written without one, so more changes are made
 * meanwhile.
 */
async function expectHeld(world: FaultWorld, proxy: HttpProxy, held: HeldRequests): Promise<void> {
  const isLeased = async () => {
    if (proxy.held() === 0) return false
    const { holder = null } = (await findState(world)) ?? {}
    if (holder === null) held.next()
    return holder !== null
  }
  await expect.poll(isLeased).toBe(true)
}

async function expectIndexed(owner: Caller, world: FaultWorld): Promise<void> {
  await expectFound(owner, world.dataset, await listStored(owner, world.dataset))
}

const ownerOf = ({ url, apiKey }: StartedServer) => caller(url, apiKey)

test('a worker is killed while it holds a job, and the lease of an index: another one goes on with both', async () => {
  const server = await openServer(proxies?.[0].url, ['--no-background-work'])
  const owner = ownerOf(server)
  const doomed = await openWorker(server, proxies?.[0].url)
  const world = await openFaultWorld(server)
  await ingest(server, world.dataset, 100_000, 100_000 + JOB_RECORDS, 2)
  const action = { type: 'respond', status: 'submitted', values: { topic: { value: 'praise' } } }
  const asked = { query: {}, response_status: 'pending', action, expected_total: JOB_RECORDS + world.recordIds.length }
  const { id } = await owner.done<BulkJob>(`POST /me/datasets/${world.dataset.id}/responses/by-filter`, asked)
  const read = () => owner.done<BulkJob>(`GET /me/bulk-jobs/${id}`)
  const held = proxies && holdWrites(proxies)
  await expect.poll(async () => (await read()).done, { interval: 5 }).toBeGreaterThan(0)
  // The responses of the job must be indexed.
  if (proxies && held) await expectHeld(world, proxies[0], held)
  expect((await read()).finished_at).toBeNull()
  await doomed.kill()
  processes.splice(processes.indexOf(doomed), 1)
  held?.release()
  // Expires the lease of half a minute early; two-servers.test.ts waits for it.
  await runOn(postgres.url, `update jobs set leased_until = inserted_at where status = 'started'`)

  if (proxies) for (const proxy of proxies) proxy.rule = null
  await openWorker(server, proxies?.[1].url)
  await expect.poll(async () => (await read()).finished_at, { interval: 250 }).not.toBeNull()
  expect(await read()).toMatchObject({ status: 'finished', done: asked.expected_total, failed: 0 })
  const rows = await runOn(postgres.url, `select count(*)::int as size from response_history where job_id = '${id}'`)
  expect(rows, 'answers of the job').toEqual([{ size: asked.expected_total }])
  // The worker does this without a search request.
  if (proxies) await expect.poll(() => findState(world)).toMatchObject({ holder: null, change_no: Number(await findHead(world)) })
  await expectIndexed(owner, world)
  await expectRules(postgres.url)
})

describe.skipIf(!HAS_CLUSTER)(`two servers with ${NAME}`, () => {
  test('one stands still for longer than its lease: the other takes over, and the first cannot spoil the index', async () => {
    if (proxies === null) throw new Error('The proxies are opened before the tests')
    const [still, other] = [await openServer(proxies[0].url), await openServer(proxies[1].url)]
    const owner = ownerOf(other)
    const world = await openFaultWorld(other)
    await expectIndexed(owner, world)
    const lines = openLines(still)
    const held = holdWrites(proxies)
    await ingest(still, world.dataset, 0, MANY, 1)
    await expectHeld(world, proxies[0], held)
    const holder = (await findState(world))?.holder
    process.kill(still.pid, 'SIGSTOP')
    try {
      proxies[1].rule = null
      await expect.poll(async () => (await findState(world))?.change_no).toBe(Number(await findHead(world)))
      expect((await findState(world))?.holder).not.toBe(holder)
      await change(owner, world)
      await expectIndexed(owner, world)
      // The requests of the first process arrive now, with documents from before the changes and of deleted records.
      held.release()
      await expect.poll(proxies[0].held).toBe(0)
      await expectIndexed(owner, world)
    } finally {
      held.release()
      process.kill(still.pid, 'SIGCONT')
    }
    proxies[0].rule = null
    await ingest(still, world.dataset, MANY, 2 * MANY, 1)
    for (const server of [still, other]) await expectIndexed(ownerOf(server), world)
    await expectRules(postgres.url)
    expect(lines().length, lines().join('\n')).toBeLessThanOrEqual(4)
  })
})

/** Deletes some of the records that are being indexed and changes others. */
async function change(owner: Caller, { dataset }: FaultWorld): Promise<void> {
  const records = (await listStored(owner, dataset)).filter(({ external_id }) => external_id?.startsWith('record-'))
  const ids = records.map(({ id }) => id)
  await owner.done(`DELETE /datasets/${dataset.id}/records?ids=${ids.slice(0, 50).join()}`)
  const items = ids.slice(50, 150).map(id => ({ id, metadata: { source: 'web' } }))
  await owner.done(`PATCH /datasets/${dataset.id}/records`, { items })
}

test('in the end the index equals the store', async () => {
  // Not through a proxy, because this process blocks while the command runs.
  expectVerified({ SERVICE_HOME_PATH: home, ...toEnv(HAS_CLUSTER ? ENGINE_URL : undefined) })
  await dropIndexes()
})

async function dropIndexes(): Promise<void> {
  if (!HAS_CLUSTER) return
  const found = await fetch(`${ENGINE_URL}/_cat/indices/${PREFIX}*?h=index&format=json&expand_wildcards=all`)
  const names = ((await found.json()) as { index: string }[]).map(({ index }) => index)
  await fetch(`${ENGINE_URL}/${names.join()}`, { method: 'DELETE' })
}
