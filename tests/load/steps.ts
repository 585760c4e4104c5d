/** What is measured on a filled dataset. Each step is one line of the table. */
import { setTimeout } from 'node:timers/promises'
import { MARKERS, openRandom, toVector } from './corpus.ts'
import { ingest, type MeasuredDataset } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, measure, quantiles, type Send, type Target, type Timing } from './measure.ts'

export interface Measured extends Partial<Timing> {
  step: string
}

export interface Bench {
  target: Target
  dataset: MeasuredDataset
  records: number
  recordIds: string[]
}

/** As many records as a page of the annotation view asks for. */
const PAGE = 10

const search = ({ dataset }: Bench, body: object, limit = PAGE): Send => {
  const text = JSON.stringify(body)
  return connection => connection.send('POST', `/api/v1/datasets/${dataset.id}/records/search?limit=${limit}`, text)
}

const textQuery = (q: string) => ({ query: { text: { q } } })
const bySource = { type: 'terms', scope: { entity: 'metadata', metadata_property: 'source' }, values: ['web', 'mail'] }
const byLength = { scope: { entity: 'metadata', metadata_property: 'length' }, order: 'desc' }

export async function measureReads(bench: Bench): Promise<Measured[]> {
  const { target, dataset, records } = bench
  const results: Measured[] = []
  const run = async (step: string, requests: number, send: Send, concurrency = 1) => {
    const warmup = Math.min(20, requests)
    results.push({ step, ...(await measure(target, { concurrency, requests, warmup }, send)) })
  }
  const page = (offset: number): Send => {
    const path = `/api/v1/datasets/${dataset.id}/records?limit=100&offset=${Math.max(0, offset)}&include=responses&include=suggestions`
    return connection => connection.send('GET', path)
  }
  await run('page of 100, first', 100, page(0))
  await run('page of 100, middle', 100, page(Math.floor(records / 2)))
  await run('page of 100, last', 100, page(records - 100))
  await run('text, word in 0.1%', 200, search(bench, textQuery(MARKERS.rare)))
  await run('text, word in 5%', 100, search(bench, textQuery(MARKERS.some)))
  await run('text, word in 50%, by relevance', 40, search(bench, textQuery(MARKERS.half)))
  await run('text, phrase', 100, search(bench, textQuery('"ne ri"')))
  const filtered = { ...textQuery(MARKERS.some), filters: { and: [bySource] }, sort: [byLength] }
  await run('text with filter and sort', 100, search(bench, filtered))
  await run('text, concurrency 8', 2000, search(bench, textQuery(MARKERS.rare)), 8)
  await run('filter and sort, no text', 100, search(bench, { filters: { and: [bySource] }, sort: [byLength] }))
  await run('similarity', 100, similar(bench, {}))
  await run('similarity, filtered', 100, similar(bench, { filters: { and: [bySource] } }))
  const status = (entity: string) => ({ type: 'terms', scope: { entity, property: 'status' }, values: ['pending'] })
  const queue = JSON.stringify({ filters: { and: [status('response'), status('record')] } })
  const next = `/api/v1/me/datasets/${dataset.id}/records/search?limit=${PAGE}&include=responses&include=suggestions`
  await run('next pending records', 200, connection => connection.send('POST', next, queue))
  await run('progress', 200, connection => connection.send('GET', `/api/v1/datasets/${dataset.id}/progress`))
  return results
}

function similar(bench: Bench, rest: object): Send {
  const random = openRandom(7)
  const bodies = Array.from({ length: 50 }, () =>
    JSON.stringify({ query: { vector: { name: 'embedding', value: toVector(random) } }, ...rest }),
  )
  const path = `/api/v1/datasets/${bench.dataset.id}/records/search?limit=${PAGE}`
  return (connection, index) => connection.send('POST', path, bodies[index % bodies.length])
}

const ANSWER = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })

export async function measureResponses(bench: Bench): Promise<Measured[]> {
  const { target } = bench
  const ids = bench.recordIds.slice()
  const submit: Send = connection => connection.send('POST', `/api/v1/records/${ids.pop()}/responses`, ANSWER)
  const many = Math.min(2000, Math.floor(ids.length / 4))
  const one = await measure(target, { concurrency: 1, requests: Math.floor(many / 4) }, submit)
  const eight = await measure(target, { concurrency: 8, requests: many, warmup: 20 }, submit)
  const bulk = await measure(target, { concurrency: 1, requests: 10 }, connection => {
    const items = ids.splice(0, 50).map(record_id => ({ record_id, ...JSON.parse(ANSWER) }))
    return connection.send('POST', '/api/v1/me/responses/bulk', JSON.stringify({ items }))
  })
  bench.recordIds = ids
  return [
    { step: 'response submit, concurrency 1', ...one },
    { step: 'response submit, concurrency 8', ...eight },
    { step: '50 responses in one bulk', ...bulk },
  ]
}

/** People ask now and then, not in a loop without a pause. */
const PAUSE_MS = 5

/** While two clients load records, others read and submit. */
export async function measureDuringIngest(bench: Bench): Promise<Measured[]> {
  const { target, dataset, records } = bench
  const others = Math.min(10_000, Math.max(2_000, records / 4))
  const read: Send = connection => connection.send('GET', `/api/v1/datasets/${dataset.id}`)
  const ids = bench.recordIds
  const submit: Send = connection => connection.send('POST', `/api/v1/records/${ids.pop()}/responses`, ANSWER)
  const loading = (from: number) => ingest(target, dataset, from, from + others, 2)
  const during = async (from: number, send: Send) => {
    let done = false
    const load = loading(from).finally(() => {
      done = true
    })
    const times: number[] = []
    const connection = await openConnection(target.url, target.apiKey)
    while (!done && ids.length > 0) {
      const start = performance.now()
      check(await send(connection, times.length))
      times.push(performance.now() - start)
      await setTimeout(PAUSE_MS)
    }
    connection.close()
    await load
    return quantiles(times)
  }
  return [
    { step: 'small read during ingest', ...(await during(records, read)) },
    { step: 'response submit during ingest', ...(await during(records + others, submit)) },
  ]
}
