/** The metrics of a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { METRICS } from '../../packages/server/src/metrics/catalog.ts'
import { runRows } from '../databases/rows.ts'
import { aDataset, addRecords, SMALL, submitted } from './datasets.ts'
import { openWorld, type World } from './http.ts'
import { METRICS_TOKEN } from './shared-servers.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const scrape = (authorization = `Bearer ${METRICS_TOKEN}`) => fetch(`${world.server.url}/metrics`, { headers: { authorization } })

/** Returns values by sample name and labels. */
async function readSamples(): Promise<Map<string, number>> {
  const text = await (await scrape()).text()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

test('count requests, records, responses and searches', async () => {
  const before = await readSamples()
  const dataset = await aDataset(world, SMALL)
  const texts = Array.from({ length: 30 }, (_, index) => ({ fields: { text: `text ${index}` } }))
  const records = await addRecords(world, dataset, texts)
  const items = records.slice(0, 4).map(({ id }) => ({ record_id: id, ...submitted() }))
  await world.owner.done('POST /me/responses/bulk', { items })
  await world.owner.done(`POST /me${dataset.path}/records/search`, { query: { text: { q: 'text' } } })
  await world.nobody.send(`GET ${dataset.path}`)

  const samples = await readSamples()
  const own = (name: string, labels = '') => samples.get(`${name}{process="1"${labels}}`)
  // The other files of this worker are counted too.
  const added = (name: string, labels = '') =>
    (own(name, labels) ?? Number.NaN) - (before.get(`${name}{process="1"${labels}}`) ?? 0)
  expect(added('postil_changes_total', ',event="record.created"')).toBe(30)
  expect(added('postil_changes_total', ',event="response.created"')).toBe(4)
  expect(added('postil_commits_total')).toBeGreaterThanOrEqual(5)
  expect(added('postil_http_requests_total', ',operation="createRecordsBulk",status="2xx"')).toBe(1)
  expect(added('postil_http_requests_total', ',operation="getDataset",status="4xx"')).toBe(1)
  expect(added('postil_http_request_seconds_count', ',operation="upsertMyResponsesBulk"')).toBe(1)
  expect(added('postil_http_request_seconds_bucket', ',operation="createRecordsBulk",le="+Inf"')).toBe(1)
  expect(added('postil_lane_run_seconds_count', ',lane="search"')).toBeGreaterThanOrEqual(1)
  expect(own('postil_event_streams')).toBe(0)
  // The metrics request itself.
  expect(own('postil_http_requests_in_flight')).toBe(1)
  expect(own('process_resident_memory_bytes')).toBeGreaterThan(50_000_000)
  const [failed] = await runRows<{ count: number }>(world.server, "select count(*) as count from jobs where status = 'failed'")
  expect(samples.get('postil_jobs{status="failed"}')).toBe(failed?.count)
  expect(samples.get('postil_webhooks{state="enabled"}')).toBe(0)
  const engine = `{engine="${process.env.POSTIL_TEST_ENGINE ?? 'embedded'}"}`
  expect(samples.get(`postil_search_available${engine}`)).toBe(1)
  expect(samples.get(`postil_search_lag_changes${engine}`)).toBeGreaterThanOrEqual(0)
  expect(added('postil_scrape_failures_total')).toBe(0)
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
  test.each(['', 'Bearer wrong-token', `Basic ${METRICS_TOKEN}`, `Bearer ${METRICS_TOKEN}x`])(
    'with the header `%s`',
    async authorization => {
      const answer = await scrape(authorization)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    },
  )

  test('with another method than GET', async () => {
    const answer = await fetch(`${world.server.url}/metrics`, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })
})
