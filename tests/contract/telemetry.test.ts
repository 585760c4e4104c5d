/** Telemetry: where it is sent, what it contains, and that nothing else is sent. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { type Collector, openCollector, type RequestHandler } from '../../packages/server/src/testing/collector.ts'
import { openFolders, postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { caller } from './http.ts'

/** Part of all data that users and programs send. */
const MARKER = 'zebra77'

const newFolder = openFolders()
const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

async function collect(answering?: RequestHandler): Promise<Collector> {
  const collector = await openCollector(answering)
  open.push(collector)
  return collector
}

async function start(env: Record<string, string>): Promise<StartedServer & { home: string }> {
  const server = await startServer({ home: newFolder(), env: { SERVICE_LOG_LEVEL: 'debug', ...env } })
  open.push(server)
  return server
}

/** Sends requests that are reported, and others that are not, with the marker in all client data. */
async function useServer({ url, apiKey }: StartedServer): Promise<void> {
  const { send, done } = caller(url, apiKey)
  const headers = { 'user-agent': `python-httpx/0.28.1 ${MARKER}/1.0`, 'accept-language': `de-CH,${MARKER};q=0.5,en` }
  const me = () => send('GET /me', undefined, headers)
  await me()
  await me()
  const user = { username: MARKER, first_name: MARKER, last_name: MARKER, password: `${MARKER}-password`, role: 'annotator' }
  expect((await send('POST /users', user, headers)).status).toBe(201)
  const workspace = await done<{ id: string }>('POST /workspaces', { name: MARKER })
  const dataset = await done<{ id: string }>('POST /datasets', {
    name: MARKER,
    workspace_id: workspace.id,
    guidelines: MARKER,
    allow_extra_metadata: true,
  })
  const settings = { type: 'text', use_markdown: false }
  await done(`POST /datasets/${dataset.id}/fields`, { name: MARKER, title: MARKER, required: true, settings })
  await done(`POST /datasets/${dataset.id}/questions`, { name: `${MARKER}-question`, title: MARKER, required: true, settings })
  await done(`PUT /datasets/${dataset.id}/publish`)
  const items = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      external_id: `${MARKER}-${i}`,
      fields: { [MARKER]: MARKER },
      metadata: { [MARKER]: MARKER },
    }))
  const bulk = `/datasets/${dataset.id}/records/bulk`
  expect((await send(`POST ${bulk}`, { items: items(3) }, headers)).status).toBe(201)
  expect((await send(`PUT ${bulk}`, { items: items(4) }, headers)).status).toBe(200)
  // Large enough to be prepared in another thread.
  const large = items(100).map(item => ({ ...item, fields: { [MARKER]: MARKER.repeat(1_000) } }))
  expect((await send(`PUT ${bulk}`, { items: large }, headers)).status).toBe(200)
  expect((await send(`POST ${bulk}`, { items: items(1) }, headers)).status).toBe(422)
  expect((await send(`POST ${bulk}`, { items: MARKER }, headers)).status).toBe(422)
  expect((await send(`GET /jobs/${MARKER}`, undefined, headers)).status).toBe(404)
  expect((await caller(url, MARKER).send('GET /me', undefined, headers)).status).toBe(401)
  expect((await send(`GET /${MARKER}?q=${MARKER}`, undefined, headers)).status).toBe(404)
}

const FROM = { user_agent: 'python-httpx/0', accept_language: 'de-CH, en' }
const ITEMS = [
  { event: 'me', ...FROM, count: 2 },
  { event: 'user', ...FROM, count: 1 },
  { event: 'bulk', task: 'feedback', records: 107, ...FROM, count: 3 },
  { event: 'error', code: 'unprocessable', entity: 'records', ...FROM, count: 1 },
  { event: 'error', code: 'invalid_shape', entity: 'records', ...FROM, count: 1 },
  { event: 'error', code: 'not_found', entity: 'jobs', ...FROM, count: 1 },
  { event: 'error', code: 'unauthenticated', entity: 'users', ...FROM, count: 1 },
]
const SERVER_KEYS = [
  'user_id',
  'server_version',
  'service_version',
  'system',
  'system_release',
  'machine',
  'platform',
  'deployment',
  'docker',
]

interface ReportBody extends Record<string, unknown> {
  reports: Record<string, unknown>[]
}

/** Adds up the counts of equal items. */
function addUp(items: ReportBody['reports']): ReportBody['reports'] {
  const byKey = Map.groupBy(items, item => JSON.stringify({ ...item, count: 0, records: 0 }))
  const sum = (some: ReportBody['reports'], key: string) => some.reduce((total, item) => total + Number(item[key]), 0)
  return Array.from(byKey.values(), some => ({
    ...some[0],
    ...(some[0]?.event === 'bulk' && { records: sum(some, 'records') }),
    count: sum(some, 'count'),
  }))
}

const PRELOAD = fileURLToPath(new URL('record-network.ts', import.meta.url))

/** Uses and stops a server. Returns it with its recorded connection attempts. */
async function listAttempts(env: Record<string, string>) {
  const file = join(newFolder(), 'network')
  const server = await start({ NODE_OPTIONS: `--import=${PRELOAD}`, RECORD_NETWORK_FILE: file, ...env })
  await useServer(server)
  expect(await server.close()).toBe(0)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  // Every thread records: main, writer and others.
  expect(lines.filter(line => line === 'recording').length).toBeGreaterThan(2)
  expect(existsSync(join(server.home, 'telemetry-id'))).toBe(lines.some(line => line.startsWith('connect')))
  return { server, attempts: lines.filter(line => line !== 'recording') }
}

test('a report holds what the guide lists, and nothing that people or programs gave, and goes nowhere else', async () => {
  const collector = await collect()
  const { server, attempts } = await listAttempts({ SERVICE_TELEMETRY_URL: `${collector.url}/reports?key=of-the-operator` })
  expect(attempts).toHaveLength(collector.connections())
  expect(attempts.length).toBeGreaterThan(0)
  for (const attempt of attempts) expect(attempt).toMatch(new RegExp(`^connect .*${new URL(collector.url).host}`))
  // Several reports if the run takes longer than a minute.
  expect(collector.received.length).toBeGreaterThan(0)
  for (const { method, url, headers } of collector.received) {
    expect([method, url]).toEqual(['POST', '/reports?key=of-the-operator'])
    expect(Object.keys(headers).toSorted()).toEqual(['accept-encoding', 'connection', 'content-length', 'content-type', 'host'])
  }
  const bodies = collector.received.map(({ body }) => JSON.parse(body) as ReportBody)
  const { reports: _reports, ...info } = bodies[0] ?? { reports: [] }
  for (const { reports: _items, ...same } of bodies) expect(same).toEqual(info)
  expect(Object.keys(info)).toEqual(SERVER_KEYS)
  const reports = addUp(bodies.flatMap(body => body.reports))
  expect(reports).toEqual(expect.arrayContaining(ITEMS))
  expect(reports).toHaveLength(ITEMS.length)
  const guide = readFileSync(new URL('../../docs/guide/telemetry.md', import.meta.url), 'utf8')
  const keys = [...SERVER_KEYS, 'reports', ...reports.flatMap(item => Object.keys(item))]
  expect(keys.filter(key => !guide.includes(`\`${key}\``))).toEqual([])
  for (const secret of [MARKER, server.apiKey, server.username, server.home]) {
    expect(JSON.stringify(bodies)).not.toContain(secret)
  }
  expect(info.user_id).toBe(readFileSync(join(server.home, 'telemetry-id'), 'utf8').trim())

  const shown = postil(['server', 'telemetry', 'show'], {
    SERVICE_HOME_PATH: server.home,
    SERVICE_TELEMETRY_URL: `${collector.url}/reports?key=of-the-operator`,
    USERNAME: 'owner',
    PASSWORD: 'owner-password',
  })
  expect(shown).toMatchObject({ status: 0, stderr: '' })
  expect(shown.stdout).toContain(`Reports are sent to ${collector.url}/reports?…`)
  expect(shown.stdout).not.toContain('of-the-operator')
  const { reports: examples, ...shownInfo } = JSON.parse(shown.stdout.slice(shown.stdout.indexOf('{'))) as ReportBody
  expect(shownInfo).toEqual(info)
  const keysByEvent = (items: Record<string, unknown>[]) =>
    Object.fromEntries(items.map(item => [item.event, Object.keys(item).toSorted()]))
  expect(keysByEvent(examples)).toEqual(keysByEvent(reports))
  expect(collector.received).toHaveLength(bodies.length)
})

test.each([
  { env: {}, says: 'Nothing is sent: SERVICE_TELEMETRY_URL names no endpoint.' },
  {
    env: { SERVICE_ENABLE_TELEMETRY: '0', SERVICE_TELEMETRY_URL: 'http://127.0.0.1:9' },
    says: 'Nothing is sent: telemetry is off',
  },
])('`telemetry show` with $env says: $says', ({ env, says }) => {
  const home = join(newFolder(), 'none')
  const { status, stdout } = postil(['server', 'telemetry', 'show'], { SERVICE_HOME_PATH: home, ...env })
  expect([status, stdout]).toEqual([0, expect.stringContaining(says)])
  expect(stdout).toContain('"user_id": "a random UUID, made when the first report is sent"')
  expect(existsSync(home)).toBe(false)
})

describe('no other program is reached', () => {
  // config.test.ts has the other settings that turn telemetry off.
  test('by a server with HF_HUB_OFFLINE', async () => {
    const collector = await collect()
    const { attempts } = await listAttempts({ SERVICE_TELEMETRY_URL: collector.url, HF_HUB_OFFLINE: '1' })
    expect(attempts).toEqual([])
    expect(collector.connections()).toBe(0)
  })

  test('by a server without an endpoint', async () => {
    expect((await listAttempts({})).attempts).toEqual([])
  })
})

describe('a server whose collector', () => {
  // telemetry.test.ts of the server has the other ways to fail.
  const WAYS: Record<string, RequestHandler> = {
    fails: (_request, response) => void response.writeHead(500).end('no'),
    'never answers': () => {},
  }
  test.each(Object.keys(WAYS))('%s works and stops as ever', async way => {
    const collector = await collect(WAYS[way])
    const server = await start({ SERVICE_TELEMETRY_URL: collector.url })
    await caller(server.url, server.apiKey).done('GET /me')
    expect(await server.close()).toBe(0)
    expect([...new Set(collector.received.map(({ url }) => url))]).toEqual(['/'])
    expect(server.output()).not.toMatch(/"level":[3-6]0.*telemetry/)
  })

  test('is down works and stops as ever', async () => {
    const collector = await openCollector()
    await collector.close()
    const server = await start({ SERVICE_TELEMETRY_URL: collector.url })
    await useServer(server)
    expect(await server.close()).toBe(0)
    expect(server.output()).toContain('"msg":"telemetry report not delivered"')
    expect(server.output()).not.toContain(MARKER)
  })
})
