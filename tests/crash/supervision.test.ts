/**
 * Background work never stops the server: another process locks the database, the disk is full, or a job crashes the process each
 * time it runs. The server stays up or restarts, and finishes the other work.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { Job } from '@postil/domain/jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Caller, caller } from '../contract/http.ts'
import { createMeasuredDataset, ingest, type MeasuredDataset } from '../load/dataset.ts'
import { type StartedServer, startServer } from '../server.ts'
import { checkFolder, checkRows } from './check-folder.ts'

const ENV = { SERVICE_DATABASE_SQLITE_TIMEOUT: '1', SERVICE_LOG_LEVEL: 'error' }

let home: string
const servers: StartedServer[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'postil-crash-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill()
  rmSync(home, { recursive: true, force: true })
})

async function start(options: { shell?: string } = {}): Promise<StartedServer> {
  const server = await startServer({ home, env: ENV, ...options })
  servers.push(server)
  return server
}

function read(text: string): Record<string, unknown> {
  const database = new DatabaseSync(join(home, 'postil.db'), { readOnly: true })
  const row = database.prepare(text).get()
  database.close()
  return row ?? {}
}

function change(text: string): void {
  const database = new DatabaseSync(join(home, 'postil.db'), { timeout: 60_000 })
  database.exec(text)
  database.close()
}

/** Inserts a job that removes the records of a deleted dataset. */
function insertJob(datasetId: string, id = 'late', now = new Date().toISOString().slice(0, 23)): string {
  return `insert into jobs (id, name, payload, status, attempts, run_at, inserted_at, updated_at)
    values ('${id}', 'purge-dataset', '{"dataset_id":"${datasetId}"}', 'queued', 0, '${now}', '${now}', '${now}')`
}

async function prepare(server: StartedServer, records: number): Promise<MeasuredDataset> {
  const dataset = await createMeasuredDataset(server)
  await ingest(server, dataset, 0, records, 1)
  return dataset
}

const ask = (server: StartedServer, dataset: MeasuredDataset, expected_total: number) =>
  caller(server.url, server.apiKey).done<BulkJob>(`POST /me/datasets/${dataset.id}/responses/by-filter`, {
    query: {},
    response_status: 'pending',
    action: { type: 'respond', status: 'submitted', values: { topic: { value: 'praise' } } },
    expected_total,
  })

const statusOf = async (server: StartedServer, id: string) =>
  (await caller(server.url, server.apiKey).done<Job>(`GET /jobs/${id}`)).status

/** Waits several times the server's lock timeout: each of these writes is refused after one. */
async function expectLocked(me: Caller): Promise<void> {
  for (const name of ['one', 'two', 'three']) expect((await me.send('POST /workspaces', { name })).status).toBe(503)
  expect((await me.send('GET /me')).status).toBe(200)
}

test('a database that another process locks for seconds, without and with a job that is due', async () => {
  const server = await start()
  const me = caller(server.url, server.apiKey)
  const dataset = await prepare(server, 300)
  const other = new DatabaseSync(join(home, 'postil.db'), { timeout: 60_000 })
  other.exec('begin immediate')
  await expectLocked(me)
  other.exec('rollback')
  const { id } = await ask(server, dataset, 300)
  await expect.poll(() => statusOf(server, id)).toBe('finished')

  const next = await prepare(server, 300)
  other.exec(`begin immediate; ${insertJob('none')}; commit; begin immediate`)
  await expectLocked(me)
  await expect.poll(() => server.output()).toContain('"msg":"background task failed"')
  other.exec('rollback')
  other.close()
  await expect.poll(() => statusOf(server, 'late')).toBe('finished')
  const last = await ask(server, next, 300)
  await expect.poll(() => statusOf(server, last.id)).toBe('finished')
})

test('a disk that is full while a job runs does not end the server, and the job is finished when there is room', async () => {
  const first = await start()
  const dataset = await prepare(first, 1_000)
  await first.close()
  change(`delete from datasets where id = '${dataset.id}'; ${insertJob(dataset.id)}`)
  const limited = await start({ shell: 'ulimit -f 512' })
  const me = caller(limited.url, first.apiKey)
  await expect.poll(() => limited.output()).toContain('"msg":"background task failed"')
  // Long enough for several more attempts, which come after 1, 2 and 4 s. An outage is logged only once a minute.
  await setTimeout(4_000)
  expect((await me.send('GET /me')).status).toBe(200)
  expect(await statusOf(limited, 'late')).not.toBe('failed')
  expect(await limited.close()).toBe(0)
  expect(Number(read('select count(*) as size from records').size)).toBeGreaterThan(0)

  const last = await start()
  await expect.poll(() => statusOf(last, 'late')).toBe('finished')
  expect(read('select count(*) as size from records').size).toBe(0)
})

/** Makes the first piece of a bulk job run forever. */
const ENDLESS = `create trigger endless before insert on responses begin
    select count(*) from (with recursive n(i) as (select 1 union all select i + 1 from n) select i from n);
  end`

test('a job that ends the process each time is given up, others that were taken lose no attempt', async () => {
  const first = await start()
  const dataset = await prepare(first, 100)
  const old = await prepare(first, 1_000)
  change(ENDLESS)
  const { id } = await ask(first, dataset, 100)
  await expect.poll(() => read(`select attempts from jobs where id = '${id}'`)).toEqual({ attempts: 1 })
  await first.kill()
  checkFolder(home)
  change(`delete from datasets where id = '${old.id}'`)
  // A job with many pieces goes first, so that one of the others is leased before the piece that ends the process.
  const others = ['other-1', 'other-2', 'other-3']
  change(insertJob(old.id, 'long', '2020-01-01T00:00:00.000'))
  for (const other of others) change(insertJob(other, other))
  change(`update jobs set attempts = 0 where id = '${id}'`)
  const attemptsOf = (job: string) => read(`select status, attempts from jobs where id = '${job}'`)
  for (let attempt = 1; attempt <= 4; attempt++) {
    const server = await start()
    await expect.poll(() => attemptsOf(id)).toEqual({ status: 'started', attempts: attempt })
    await server.kill()
    checkRows(home)
    expect(attemptsOf('other-1')).toEqual({ status: 'started', attempts: 0 })
  }
  const last = await start()
  await expect.poll(() => statusOf(last, id)).toBe('failed')
  for (const other of ['long', ...others]) await expect.poll(() => statusOf(last, other)).toBe('finished')
  const me = caller(last.url, last.apiKey)
  expect(await me.done(`GET /me/bulk-jobs/${id}`)).toMatchObject({ status: 'failed', done: 0, finished_at: expect.any(String) })
  expect(read(`select error from jobs where id = '${id}'`).error).toMatch(/Begun 4 times/)
  change('drop trigger endless')
  const again = await ask(last, dataset, 100)
  await expect.poll(() => statusOf(last, again.id)).toBe('finished')
  await last.kill()
  checkFolder(home)
})
