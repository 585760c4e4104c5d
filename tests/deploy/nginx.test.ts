/** The nginx examples in front of real servers. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEventsWith } from '../contract/event-reader.ts'
import { usePostgres } from '../databases/use-postgres.ts'
import { MAIN } from '../main-file.ts'
import { type StartedServer, startServer } from '../server.ts'
import { findNginx, type StartedNginx, startNginx } from './nginx.ts'

const program = findNginx()
if (program === null)
  console.warn('skipped: nginx is not installed and cannot be unpacked from a Debian package (apt-get download nginx)')
const MIB = 1024 ** 2
const hostOf = (url: string) => new URL(url).host

interface Answer<T> {
  status: number
  body: T
}

/** Sends a request with the owner's key. */
async function ask<T = unknown>(url: string, key: string, request: string, body?: unknown): Promise<Answer<T>> {
  const [method = '', path = ''] = request.split(' ')
  const headers = { 'x-argilla-api-key': key, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...sent })
  const text = await answer.text()
  return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as T }
}

async function addDataset(url: string, key: string, name: string): Promise<string> {
  const [workspace] = (await ask<{ items: { id: string }[] }>(url, key, 'GET /me/workspaces')).body.items
  const { id } = (await ask<{ id: string }>(url, key, 'POST /datasets', { name, workspace_id: workspace?.id })).body
  await ask(url, key, `POST /datasets/${id}/fields`, { name: 'text', title: 'T', required: true, settings: { type: 'text' } })
  const settings = { type: 'rating', options: [{ value: 1 }, { value: 2 }] }
  await ask(url, key, `POST /datasets/${id}/questions`, { name: 'q', title: 'Q', required: true, settings })
  expect((await ask(url, key, `PUT /datasets/${id}/publish`)).status).toBe(200)
  return id
}

/** Runs the migration like the container that runs before the servers. */
async function migrate(env: Record<string, string>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'postil-migrate-'))
  await promisify(execFile)(process.execPath, [MAIN, 'server', 'database', 'migrate'], {
    env: { ...env, SERVICE_HOME_PATH: home },
  })
  await rm(home, { recursive: true, force: true })
}

describe.skipIf(program === null)('two servers on one database behind nginx', () => {
  const env = {
    SERVICE_TRUSTED_PROXIES: 'loopback',
    SERVICE_AUTH_SECRET_KEY: 'a secret that both servers know, long enough',
    SERVICE_READER_THREADS: '1',
    SERVICE_METRICS: '1',
    SERVICE_STOP_DELAY_SECONDS: '1',
  }
  const postgres = usePostgres()
  let databaseUrl: string
  let servers: StartedServer[] = []
  let nginx: StartedNginx

  /** Each server has a separate empty folder, as in containers. */
  const start = (port = 0) => startServer({ port, env: { ...env, SERVICE_DATABASE_URL: databaseUrl } })
  beforeAll(async () => {
    databaseUrl = await postgres.newDatabase()
    await migrate({ ...env, SERVICE_DATABASE_URL: databaseUrl })
    servers = await Promise.all([start(), start()])
    const [a, b] = servers.map(({ url }) => hostOf(url))
    nginx = await startNginx(program ?? '', 'postil.conf', { 'postil-a:6900': a ?? '', 'postil-b:6900': b ?? '' })
  })
  afterAll(async () => {
    await nginx?.close()
    await Promise.all(servers.map(server => server.close()))
  })
  const key = () => servers[0]?.apiKey ?? ''

  const countRequests = async ({ url }: StartedServer) => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(/^postil_http_requests_total\{process="1",operation="getMe",status="2xx"\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  test('share the requests', async () => {
    for (let i = 0; i < 20; i++) expect((await ask(nginx.url, key(), 'GET /me')).status).toBe(200)
    const counts = await Promise.all(servers.map(countRequests))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20)
    expect(Math.min(...counts)).toBeGreaterThan(0)
  })

  test('get large bodies; those of more than 64 MiB are refused by nginx', async () => {
    const id = await addDataset(nginx.url, key(), 'large')
    const items = Array.from({ length: 20 }, () => ({ fields: { text: 'word'.padEnd(MIB) } }))
    const made = await ask<{ items: unknown[] }>(nginx.url, key(), `POST /datasets/${id}/records/bulk`, { items })
    expect([made.status, made.body.items?.length]).toEqual([201, 20])
    const large = await ask(nginx.url, key(), `POST /datasets/${id}/records/bulk`, ' '.repeat(65 * MIB)).catch(() => null)
    // nginx responds and closes the connection while the body is being sent. The client may only see the closed connection.
    expect([413, undefined]).toContain(large?.status)
  })

  test('refuse a body without credentials while it is being sent', async () => {
    const controller = new AbortController()
    const pull = async (stream: ReadableStreamDefaultController) => {
      await pause(5)
      stream.enqueue(new Uint8Array(1024))
    }
    const endless = new ReadableStream({ pull })
    const answer = await fetch(`${nginx.url}/api/v1/datasets/00000000-0000-0000-0000-000000000000/records/bulk`, {
      method: 'POST',
      body: endless,
      duplex: 'half',
      signal: controller.signal,
      headers: { 'content-type': 'application/json' },
    } as RequestInit)
    expect([401, 413]).toContain(answer.status)
    controller.abort()
  })

  test('send events through nginx as they happen', async () => {
    const id = await addDataset(nginx.url, key(), 'watched')
    const events = await readEventsWith(nginx.url, { 'x-argilla-api-key': key() }, id)
    await events.waitFor('progress')
    const items = [{ fields: { text: 'one' } }]
    expect((await ask(nginx.url, key(), `POST /datasets/${id}/records/bulk`, { items })).status).toBe(201)
    await events.waitFor('progress', ({ progress }) => (progress as { total: number }).total === 1)
    events.close()
  })

  test('do not show metrics to the outside', async () => {
    expect((await fetch(`${nginx.url}/metrics`)).status).toBe(404)
  })

  test('are stopped and started again one after the other, and no request fails', async () => {
    let isOver = false
    const failures: string[] = []
    let asked = 0
    const client = async () => {
      while (!isOver) {
        const answer = await ask(nginx.url, key(), 'GET /me').catch((error: Error) => ({ status: error.message }))
        asked++
        if (answer.status !== 200) failures.push(String(answer.status))
        // Without it, three processes would do nothing else.
        await pause(20)
      }
    }
    const clients = [client(), client()]
    for (const [index, server] of servers.entries()) {
      const port = Number(new URL(server.url).port)
      expect(await server.close()).toBe(0)
      const again = await start(port)
      servers[index] = again
      // nginx tries the server again after some seconds.
      await expect.poll(() => countRequests(again)).toBeGreaterThan(0)
    }
    isOver = true
    await Promise.all(clients)
    expect([failures, asked > 20]).toEqual([[], true])
  })
})

describe.skipIf(program === null)('one server below a path behind nginx', () => {
  let server: StartedServer
  let nginx: StartedNginx
  beforeAll(async () => {
    server = await startServer({ env: { SERVICE_BASE_URL: '/annotation/', SERVICE_TRUSTED_PROXIES: 'loopback' } })
    nginx = await startNginx(program ?? '', 'postil-below-path.conf', { '127.0.0.1:6900': hostOf(server.url) })
  })
  afterAll(async () => {
    await nginx?.close()
    await server?.close()
  })

  test('answers the API and the web UI there, and nothing else', async () => {
    expect((await ask(`${nginx.url}/annotation`, server.apiKey, 'GET /me')).status).toBe(200)
    const page = await fetch(`${nginx.url}/annotation/`)
    // 503 if the web UI is not built.
    expect([200, 503]).toContain(page.status)
    const redirected = await fetch(`${nginx.url}/annotation`, { redirect: 'manual' })
    expect([redirected.status, redirected.headers.get('location')]).toEqual([307, `${nginx.url}/annotation/`])
    expect((await fetch(`${nginx.url}/api/v1/version`)).status).toBe(404)
    expect((await fetch(`${nginx.url}/annotation/metrics`)).status).toBe(404)
  })

  test('gives browsers a session whose cookie holds below the path only', async () => {
    const headers = { 'content-type': 'application/json', origin: nginx.url }
    const body = JSON.stringify({ username: server.username, password: server.password })
    const answer = await fetch(`${nginx.url}/annotation/api/v1/session`, { method: 'POST', headers, body })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      expect.any(Number),
      expect.stringContaining('Path=/annotation/'),
    ])
  })
})
