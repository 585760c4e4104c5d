/** The metrics of a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { METRICS } from '../../packages/server/src/metrics/catalog.ts'
import { type StartedServer, startServer } from '../server.ts'

const TOKEN = 'a-token-of-the-scraper'
let server: StartedServer
beforeAll(async () => {
  server = await startServer({ env: { SERVICE_METRICS: '1', SERVICE_METRICS_TOKEN: TOKEN } })
})
afterAll(() => server?.close())

const scrape = (authorization = `Bearer ${TOKEN}`) => fetch(`${server.url}/metrics`, { headers: { authorization } })

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { 'X-Argilla-Api-Key': server.apiKey, 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  if (answer.status > 299) throw new Error(`${method} ${path} -> ${answer.status} ${await answer.text()}`)
  return (answer.status === 204 ? null : await answer.json()) as T
}

/** Returns values by sample name and labels. */
async function readSamples(): Promise<Map<string, number>> {
  const text = await (await scrape()).text()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

async function addDataset(): Promise<string> {
  const [workspace] = (await api<{ items: { id: string }[] }>('GET', '/me/workspaces')).items
  const { id } = await api<{ id: string }>('POST', '/datasets', { name: 'd', workspace_id: workspace?.id })
  await api('POST', `/datasets/${id}/fields`, { name: 'text', title: 'T', required: true, settings: { type: 'text' } })
  const settings = { type: 'rating', options: [{ value: 1 }, { value: 2 }] }
  await api('POST', `/datasets/${id}/questions`, { name: 'q', title: 'Q', required: true, settings })
  await api('PUT', `/datasets/${id}/publish`)
  return id
}

test('count requests, records, responses and searches', async () => {
  const id = await addDataset()
  const items = Array.from({ length: 30 }, (_, index) => ({ fields: { text: `text ${index}` } }))
  const made = await api<{ items: { id: string }[] }>('POST', `/datasets/${id}/records/bulk`, { items })
  const answer = { status: 'submitted', values: { q: { value: 1 } } }
  await api('POST', '/me/responses/bulk', { items: made.items.slice(0, 4).map(record => ({ record_id: record.id, ...answer })) })
  await api('POST', `/me/datasets/${id}/records/search`, { query: { text: { q: 'text' } } })
  await fetch(`${server.url}/api/v1/datasets/${id}`)

  const samples = await readSamples()
  const own = (name: string, labels = '') => samples.get(`${name}{process="1"${labels}}`)
  expect(own('postil_changes_total', ',event="record.created"')).toBe(30)
  expect(own('postil_changes_total', ',event="response.created"')).toBe(4)
  expect(own('postil_commits_total')).toBeGreaterThanOrEqual(5)
  expect(own('postil_http_requests_total', ',operation="createRecordsBulk",status="2xx"')).toBe(1)
  expect(own('postil_http_requests_total', ',operation="getDataset",status="4xx"')).toBe(1)
  expect(own('postil_http_request_seconds_count', ',operation="upsertMyResponsesBulk"')).toBe(1)
  expect(own('postil_http_request_seconds_bucket', ',operation="createRecordsBulk",le="+Inf"')).toBe(1)
  expect(own('postil_lane_run_seconds_count', ',lane="search"')).toBeGreaterThanOrEqual(1)
  expect(own('postil_event_streams')).toBe(0)
  // The metrics request itself.
  expect(own('postil_http_requests_in_flight')).toBe(1)
  expect(own('process_resident_memory_bytes')).toBeGreaterThan(50_000_000)
  expect(samples.get('postil_jobs{status="failed"}')).toBe(0)
  expect(samples.get('postil_webhooks{state="enabled"}')).toBe(0)
  const engine = `{engine="${process.env.POSTIL_TEST_ENGINE ?? 'embedded'}"}`
  expect(samples.get(`postil_search_available${engine}`)).toBe(1)
  expect(samples.get(`postil_search_lag_changes${engine}`)).toBeGreaterThanOrEqual(0)
  expect(own('postil_scrape_failures_total')).toBe(0)
})

test('are in the text format: each metric once with its type, and no ids in labels', async () => {
  const answer = await scrape()
  const text = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }))
  expect(new Set(types.map(({ name }) => name)).size).toBe(types.length)
  for (const { name, type } of types) expect(METRICS).toMatchObject({ [name]: { type } })
  const sample = /^[a-z_]+(\{([a-z_]+="[^"\\\n]*",?)+\})? [0-9.e+-]+$/
  for (const line of text.trimEnd().split('\n')) expect(line.startsWith('# ') || sample.test(line) ? '' : line).toBe('')
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
})

describe('are refused', () => {
  test.each(['', 'Bearer wrong-token', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])('with the header `%s`', async authorization => {
    const answer = await scrape(authorization)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('with another method than GET', async () => {
    const answer = await fetch(`${server.url}/metrics`, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('by a server without the setting: not a page of the web UI', async () => {
    const other = await startServer()
    expect((await fetch(`${other.url}/metrics`)).status).toBe(404)
    await other.close()
  })
})
