/**
 * Two servers on one PostgreSQL database: concurrent writes to the same records, a killed server, and each sees the writes of the
 * other.
 */
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { RecordsBulk } from '@postil/domain/records'
import { type PostgresServer, runOn, startPostgres } from '@postil/server/testing/postgres-server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Caller, caller } from '../contract/http.ts'
import { LABELS, toCorpusRecord } from '../load/corpus.ts'
import { ingest } from '../load/dataset.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectRules, expectVerified } from './check-postgres.ts'
import { startIngest } from './ingest.ts'
import { expectFound, expectWhole, type FaultWorld, listStored, openFaultWorld } from './world.ts'

const HAS_CLUSTER = (process.env.POSTIL_TEST_ENGINE ?? 'embedded') !== 'embedded'
const ROUNDS = 20
const JOB_RECORDS = 1_500

const home = openFolders()()
let postgres: PostgresServer
let servers: [StartedServer, StartedServer]
let world: FaultWorld

// They share the home folder and therefore the keys.
const start = () => startServer({ home, env: { SERVICE_DATABASE_URL: postgres.url } })
beforeAll(async () => {
  postgres = await startPostgres({ settings: { max_connections: '200' } })
  servers = [await start(), await start()]
})
beforeEach(async () => {
  world = await openFaultWorld(servers[0])
})
afterAll(async () => {
  for (const server of servers ?? []) await server.close()
  await postgres?.stop()
})

const owners = (): [Caller, Caller] => [caller(servers[0].url, servers[0].apiKey), caller(servers[1].url, servers[1].apiKey)]

/** Expects both servers to find exactly the stored records. */
async function expectSame(): Promise<void> {
  const [one, other] = owners()
  const records = await listStored(one, world.dataset)
  expect(await listStored(other, world.dataset)).toEqual(records)
  for (const owner of [one, other]) await expectFound(owner, world.dataset, records)
  await expectRules(postgres.url)
}

test('both answer the same records for one person: one response each, and the status follows', async () => {
  for (const id of world.recordIds.slice(0, ROUNDS)) {
    const answers = await Promise.all(
      owners().flatMap(owner =>
        LABELS.map(value => owner.send(`POST /records/${id}/responses`, { status: 'submitted', values: { topic: { value } } })),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(1)
    expect(new Set(statuses.filter(status => status !== 201))).toEqual(new Set([409]))
  }
  await expectSame()
})

test('both upsert the same new records, and both delete and change them', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const items = Array.from({ length: 10 }, (_, at) => ({
      ...toCorpusRecord(round * 10 + at, world.dataset.questionId),
      external_id: `race-${round}-${at}`,
    }))
    const path = `/datasets/${world.dataset.id}/records`
    const upserts = await Promise.all(owners().map(owner => owner.done<RecordsBulk>(`PUT ${path}/bulk`, { items })))
    const [ids = [], others = []] = upserts.map(({ items }) => items.map(({ id }) => id))
    expect(others).toEqual(ids)
    const [one, other] = owners()
    const topic = { status: 'draft', values: { topic: { value: LABELS[round % LABELS.length] } } }
    const answers = await Promise.all([
      one.send(`DELETE ${path}?ids=${ids.slice(0, 5).join()}`),
      ...ids.map(id => other.send(`POST /records/${id}/responses`, topic)),
      ...ids.map(id => one.send(`PATCH /records/${id}`, { metadata: { source: 'web' } })),
    ])
    expect(answers.filter(({ status }) => ![200, 201, 204, 404].includes(status)).map(({ text }) => text)).toEqual([])
  }
  await expectSame()
})

test('what one server has acknowledged, the other finds immediately', async () => {
  const path = `/datasets/${world.dataset.id}/records`
  for (let round = 0; round < ROUNDS; round++) {
    const [one, other] = round % 2 === 0 ? owners() : owners().toReversed()
    const items = [{ external_id: `seen-${round}`, fields: { text: `unique${round} words` } }]
    await one?.done(`POST ${path}/bulk`, { items })
    const found = await other?.done<{ total: number }>(`POST ${path}/search`, { query: { text: { q: `unique${round}` } } })
    expect(found?.total).toBe(1)
  }
})

test('one is killed while clients write to both, and the other goes on', async () => {
  const [survivor, doomed] = servers
  const target = { urls: servers.map(({ url }) => url), apiKey: survivor.apiKey }
  const writing = startIngest(target, world.dataset, 3, world.recordIds)
  await writing.more(20)
  await doomed.kill()
  await writing.more(20)
  servers[1] = await start()
  // Clients retry with the remaining server, because the new one has another port.
  await writing.stop()
  await expectWhole(survivor, world, writing)
  await expectSame()
})

// With a search cluster, leases.test.ts tests this without waiting half a minute for the job's lease to expire.
test.skipIf(HAS_CLUSTER)('both are killed while one of them holds a job, which is finished, and done once', async () => {
  await ingest(servers[0], world.dataset, 100_000, 100_000 + JOB_RECORDS, 2)
  const [owner] = owners()
  const action = { type: 'respond', status: 'submitted', values: { topic: { value: 'praise' } } }
  const asked = { query: {}, response_status: 'pending', action, expected_total: JOB_RECORDS + world.recordIds.length }
  const job = await owner.done<BulkJob>(`POST /me/datasets/${world.dataset.id}/responses/by-filter`, asked)
  const isUnderWay = async () => {
    const { done, finished_at } = await owner.done<BulkJob>(`GET /me/bulk-jobs/${job.id}`)
    return done > 0 && finished_at === null
  }
  await expect.poll(isUnderWay, { interval: 5 }).toBe(true)
  await Promise.all(servers.map(server => server.kill()))
  servers = [await start(), await start()]
  const [again] = owners()
  const read = () => again.done<BulkJob>(`GET /me/bulk-jobs/${job.id}`)
  await expect.poll(async () => (await read()).finished_at, { interval: 500 }).not.toBeNull()
  expect(await read()).toMatchObject({ status: 'finished', done: asked.expected_total, failed: 0 })
  const rows = await runOn(postgres.url, `select count(*)::int as size from response_history where job_id = '${job.id}'`)
  expect(rows).toEqual([{ size: asked.expected_total }])
  await expectSame()
})

test('in the end the index equals the store', () => {
  expectVerified(servers[0].env)
})
