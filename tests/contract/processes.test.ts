/** Several servers and workers on one PostgreSQL database behave like one server. */
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { describeProcesses, openSharedDatabase, type SharedDatabase, startWorker } from '../processes.ts'
import { type StartedServer, startServer } from '../server.ts'
import { aDataset, addRecords, aRecord, type BuiltDataset, SMALL, submitted } from './datasets.ts'
import { type EventReader, readEvents } from './event-reader.ts'
import { aUser, type Caller, caller, fresh, openOwnWorld, type World } from './http.ts'

const PASSWORD = 'a long password'

let database: SharedDatabase

describeProcesses('two servers', () => {
  let world: World
  let other: StartedServer
  let dataset: BuiltDataset
  const readers: EventReader[] = []
  /** The same user as a caller of the other server. */
  const there = (person: Caller) => caller(other.url, person.key, person)
  const listen = async (url: string, person: Caller) => {
    const reader = await readEvents(url, person, dataset.id)
    readers.push(reader)
    await reader.waitFor('progress')
    return reader
  }
  beforeAll(async () => {
    database = await openSharedDatabase()
    const env = { ...database.env, SERVICE_TRUSTED_PROXIES: 'loopback' }
    // Both start concurrently on an empty database; only one of them initializes it.
    ;[world, other] = await Promise.all([openOwnWorld(env), startServer({ env })])
    dataset = await aDataset(world, SMALL)
  })
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close()
  })
  afterAll(async () => {
    await world?.close()
    await other?.close()
    await database?.close()
  })

  test('that start at the same moment on an empty database migrate it once and make one owner', async () => {
    const outputs = [world.server.output(), other.output()]
    expect(outputs.filter(output => output.includes('Created the first owner')).length).toBe(1)
    const [{ revisions, names } = {}] = await database.query(
      'select count(*)::int as revisions, count(distinct name)::int as names from revisions',
    )
    expect(revisions).toBe(names)
    expect((await there(world.owner).send('GET /me')).status).toBe(200)
    expect(await database.query('select name, wrapped is not null as is_wrapped from server_keys')).toEqual([
      { name: 'encryption', is_wrapped: true },
    ])
  })

  test('tell open pages what the other one has stored', async () => {
    const page = await listen(other.url, world.memberAdmin)
    const record = await aRecord(world, dataset)
    await page.waitFor('progress', ({ progress }) => (progress as { total: number }).total > 0)
    await world.memberAnnotator.done(`POST /records/${record.id}/responses`, submitted())
    expect((await page.waitFor('record-completed')).data).toEqual({ record_id: record.id })
  })

  test('tell a response to its author’s pages at the other one, and nobody else', async () => {
    const record = await aRecord(world, dataset)
    const [own, others] = [await listen(other.url, world.memberAnnotator), await listen(other.url, world.memberAdmin)]
    await world.memberAnnotator.done(`POST /records/${record.id}/responses`, submitted())
    expect((await own.waitFor('response-changed')).data).toMatchObject({ record_id: record.id, status: 'submitted' })
    await others.waitFor('record-completed', ({ record_id }) => record_id === record.id)
    expect(others.events.map(({ name }) => name)).not.toContain('response-changed')
  })

  test('tell how a job goes, whichever of them runs it', async () => {
    const built = await aDataset(world, SMALL)
    await addRecords(
      world,
      built,
      Array.from({ length: 150 }, (_, i) => ({ fields: { text: `text ${i}` } })),
    )
    const pages = await Promise.all([world.server.url, other.url].map(url => readEvents(url, world.owner, built.id)))
    readers.push(...pages)
    for (const page of pages) await page.waitFor('progress')
    const action = { type: 'respond', status: 'submitted', values: { mood: { value: 'happy' } } }
    const asked = { query: {}, response_status: 'pending', action, expected_total: 150 }
    const job = await world.owner.done<BulkJob>(`POST /me/datasets/${built.id}/responses/by-filter`, asked)
    for (const page of pages) await page.waitFor('job', ({ id, status }) => id === job.id && status === 'finished')
    expect(await there(world.owner).done(`GET /me/bulk-jobs/${job.id}`)).toMatchObject({ status: 'finished', done: 150 })
  })

  test('wake a request that waits for changes at the other one', async () => {
    const { next } = await world.owner.done<{ next: number }>(`GET /datasets/${dataset.id}/events?limit=1000`)
    const waiting = there(world.owner).done<{ items: unknown[] }>(`GET /datasets/${dataset.id}/events?after=${next}&wait=30`)
    await setTimeout(200)
    const started = performance.now()
    await aRecord(world, dataset)
    expect((await waiting).items.length).toBeGreaterThan(0)
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('end a session for both', async () => {
    const person = await aUser(world.server.url, world.owner, 'annotator', { username: fresh('sven') })
    const answer = await world.nobody.send('POST /session', { username: person.username, password: PASSWORD })
    const cookie = answer.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; ')
    const ask = (url: string) => fetch(`${url}/api/v1/me`, { headers: { cookie } }).then(({ status }) => status)
    expect([await ask(world.server.url), await ask(other.url)]).toEqual([200, 200])
    const ended = await fetch(`${other.url}/api/v1/session`, { method: 'DELETE', headers: { cookie, 'x-postil-csrf': '1' } })
    expect(ended.ok).toBe(true)
    expect([await ask(world.server.url), await ask(other.url)]).toEqual([401, 401])
  })

  test('accept the tokens of each other', async () => {
    const person = await aUser(world.server.url, world.owner, 'annotator', { username: fresh('tina') })
    const form = new URLSearchParams({ username: person.username, password: PASSWORD })
    const { access_token } = await world.nobody.done<{ access_token: string }>('POST /api/v1/token', form)
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${other.url}/api/v1/me`, { headers })).status).toBe(200)
  })

  test('count wrong passwords together', async () => {
    const { username } = await aUser(world.server.url, world.owner, 'annotator', { username: fresh('olga') })
    const guess = async (url: string, password: string) => {
      const started = performance.now()
      const headers = { 'x-forwarded-for': '198.51.100.77' }
      const { status } = await caller(url, null).send('POST /session', { username, password }, headers)
      return { status, ms: performance.now() - started }
    }
    const urls = [world.server.url, other.url]
    for (let i = 0; i < 12; i++) expect((await guess(urls[i % 2] ?? '', 'a guess')).status).toBe(401)
    // If each server counted separately, six attempts would be free.
    const right = await guess(other.url, PASSWORD)
    expect(right.status).toBe(201)
    expect(right.ms).toBeGreaterThan(500)
  })

  test('refuse a third one with another secret, in a sentence', async () => {
    const env = { ...database.env, SERVICE_AUTH_SECRET_KEY: 'another secret of the tests: 0123456789' }
    await expect(startServer({ env })).rejects.toThrow('SERVICE_AUTH_SECRET_KEY is not the one')
    const { SERVICE_DATABASE_URL } = database.env
    await expect(startServer({ env: { SERVICE_DATABASE_URL } })).rejects.toThrow('encrypted with SERVICE_AUTH_SECRET_KEY')
  })
})

describeProcesses('servers that leave background work to workers', () => {
  let shared: SharedDatabase
  let world: World
  beforeAll(async () => {
    shared = await openSharedDatabase()
    world = await openOwnWorld({ ...shared.env, SERVICE_BACKGROUND_WORK: 'false' })
  })
  afterAll(async () => {
    await world?.close()
    await shared?.close()
  })

  test('queue jobs, which a worker runs when there is one, and their pages hear of it', async () => {
    const dataset = await aDataset(world, SMALL)
    await addRecords(
      world,
      dataset,
      Array.from({ length: 20 }, (_, i) => ({ fields: { text: `text ${i}` } })),
    )
    const page = await readEvents(world.server.url, world.owner, dataset.id)
    const action = { type: 'respond', status: 'submitted', values: { mood: { value: 'happy' } } }
    const ask = (expected_total: number) =>
      world.owner.done<BulkJob>(`POST /me/datasets/${dataset.id}/responses/by-filter`, {
        ...{ query: {}, response_status: 'pending', action, expected_total },
      })
    const job = await ask(20)
    await setTimeout(2_500)
    expect(await world.owner.done(`GET /me/bulk-jobs/${job.id}`)).toMatchObject({ status: 'queued' })
    const worker = await startWorker(shared.env)
    await page.waitFor('job', ({ id, status }) => id === job.id && status === 'finished')
    page.close()
    expect(await worker.close()).toBe(0)
  })
})

describeProcesses('`start --workers 2`', () => {
  let shared: SharedDatabase
  beforeAll(async () => {
    shared = await openSharedDatabase()
  })
  afterAll(() => shared?.close())

  test('serves in two processes, replaces one that ends, and stops with a signal', async () => {
    const server = await startServer({ env: shared.env, args: ['--workers', '2'] })
    const me = () =>
      caller(server.url, server.apiKey)
        .send('GET /me')
        .then(
          ({ status }) => status,
          () => 0,
        )
    const countServers = async () =>
      (
        await shared.query(
          "select pid from pg_stat_activity where application_name = 'postil server bus' and datname = current_database()",
        )
      ).length
    expect(server.output()).toMatch(/processes +2/)
    expect(await me()).toBe(200)
    expect(await countServers()).toBe(2)
    const children = await listChildren(server.pid)
    process.kill(children[0] ?? 0, 'SIGKILL')
    await expect.poll(() => server.output()).toContain('was ended by SIGKILL. Another one starts in 1 s.')
    // The other server continues to work.
    await expect.poll(me).toBe(200)
    await expect.poll(countServers).toBe(2)
    expect(await server.close()).toBe(0)
  })
})

/** Lists the child processes of a process, on Linux. */
async function listChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').map(Number)
}
