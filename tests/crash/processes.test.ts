/**
 * Processes that are killed while they hold a lease: others take over after it expires, and no work is repeated or lost. The tests
 * check how long a lease lasts and let it expire early; tests/faults/two-servers.test.ts waits for one.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Webhook } from '@postil/domain/webhooks'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { caller } from '../contract/http.ts'
import { createMeasuredDataset, ingest } from '../load/dataset.ts'
import { describeProcesses, openSharedDatabase, type SharedDatabase, type StartedWorker, startWorker } from '../processes.ts'
import { discard, type StartedServer, startServer } from '../server.ts'

const RECORDS = 1_500
const JOB_LEASE_MS = 30_000
const WEBHOOK_LEASE_MS = 60_000

describeProcesses('a process that is killed', () => {
  let database: SharedDatabase
  const servers: StartedServer[] = []
  const workers: StartedWorker[] = []
  const start = async (env: Record<string, string> = {}) => {
    const server = await startServer({ env: { ...database.env, ...env } })
    servers.push(server)
    return server
  }
  const count = async (text: string) => Number(Object.values((await database.query(text))[0] ?? {})[0])
  beforeAll(async () => {
    database = await openSharedDatabase()
  })
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.kill()
    for (const server of servers.splice(0)) await discard(server)
  })
  afterAll(() => database?.close())

  /** Lets the only lease expire that is left in a table. It must not last longer than this. */
  async function expire(table: 'jobs' | 'webhooks', longestMs: number): Promise<void> {
    const [lease, ...others] = await database.query(`select leased_until from ${table} where leased_until is not null`)
    expect(others).toEqual([])
    const leftMs = Date.parse(`${lease?.leased_until}Z`) - Date.now()
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(longestMs)
    await database.query(`update ${table} set leased_until = inserted_at where leased_until is not null`)
  }

  test('while it holds a job leaves it to another worker, which does the rest', async () => {
    const server = await start({ SERVICE_BACKGROUND_WORK: 'false' })
    const owner = caller(server.url, server.apiKey)
    const dataset = await createMeasuredDataset(server)
    await ingest(server, dataset, 0, RECORDS, 2)
    const action = { type: 'respond', status: 'submitted', values: { topic: { value: 'praise' } } }
    const asked = { query: {}, response_status: 'pending', action, expected_total: RECORDS }
    const job = await owner.done<BulkJob>(`POST /me/datasets/${dataset.id}/responses/by-filter`, asked)
    const first = await startWorker(database.env)
    const done = async () => (await owner.done<BulkJob>(`GET /me/bulk-jobs/${job.id}`)).done
    await expect.poll(done, { interval: 10 }).toBeGreaterThan(0)
    await first.kill()
    const before = await done()
    expect(before).toBeLessThan(RECORDS)
    await expire('jobs', JOB_LEASE_MS)
    workers.push(await startWorker(database.env), await startWorker(database.env))
    await expect
      .poll(() => owner.done(`GET /me/bulk-jobs/${job.id}`))
      .toMatchObject({ status: 'finished', done: RECORDS, failed: 0 })
    expect(await count("select count(*) from responses where status = 'submitted'")).toBe(RECORDS)
    expect(await count(`select count(*) from response_history where job_id = '${job.id}' and version = 1`)).toBe(RECORDS)
    expect(await count('select completed_count from dataset_heads')).toBe(RECORDS)
  })

  const receiver = createServer((request, response) => {
    request.resume()
    received++
    // The first delivery gets no response.
    if (received > 1) response.writeHead(204).end()
  })
  let received = 0
  afterAll(() => {
    receiver.closeAllConnections()
    receiver.close()
  })

  test('while it delivers to a webhook leaves that to another server, which delivers it again', async () => {
    await new Promise<void>(resolve => void receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const settings = { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' }
    const first = await start(settings)
    const owner = caller(first.url, first.apiKey)
    const webhook = await owner.done<Webhook>('POST /webhooks', { url, events: ['record.created'] })
    const dataset = await createMeasuredDataset(first)
    await ingest(first, dataset, 0, 1, 1)
    await expect.poll(() => received, { interval: 10 }).toBe(1)
    expect(await count('select count(*) from webhooks where leased_by is not null')).toBe(1)
    await first.kill()
    await expire('webhooks', WEBHOOK_LEASE_MS)
    const second = await start(settings)
    await expect.poll(() => received).toBe(2)
    const deliveries = `GET /webhooks/${webhook.id}/deliveries`
    await expect
      .poll(() => caller(second.url, second.apiKey).done(deliveries))
      .toMatchObject({ items: [{ status: 'succeeded' }] })
  })
})
