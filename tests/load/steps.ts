/** Measured steps on a filled dataset. Each step is one line of the table. */
import { setTimeout } from 'node:timers/promises'
import { MARKERS, openRandom, toCorpusRecord, toVector } from './corpus.ts'
import { ingest, type MeasuredDataset } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, measure, quantiles, type Send, type Target, type Timing } from './measure.ts'

export interface StepFigure extends Partial<Timing> {
  step: string
}

export interface Bench {
  target: Target
  dataset: MeasuredDataset
  records: number
  recordIds: string[]
}

/** Page size of the annotation view. */
const PAGE = 10

const search = ({ dataset }: Bench, body: object, offset = 0): Send => {
  const [path, text] = [`/api/v1/datasets/${dataset.id}/records/search?limit=${PAGE}&offset=${offset}`, JSON.stringify(body)]
  return connection => connection.send('POST', path, text)
}

const textQuery = (q: string) => ({ query: { text: { q } } })
const bySource = { type: 'terms', scope: { entity: 'metadata', metadata_property: 'source' }, values: ['web', 'mail'] }
const byLength = { scope: { entity: 'metadata', metadata_property: 'length' }, order: 'desc' }
const byUpdate = { scope: { entity: 'record', property: 'updated_at' }, order: 'desc' }
const filterAndSort = { filters: { and: [bySource] }, sort: [byLength] }

/** Counts that the annotation page shows next to its filters. */
const COUNTED = [
  { entity: 'metadata', metadata_property: 'source' },
  { entity: 'metadata', metadata_property: 'length' },
  { entity: 'metadata', metadata_property: 'quality' },
  { entity: 'suggestion', question: 'topic', property: 'value' },
  { entity: 'suggestion', question: 'topic', property: 'score' },
  { entity: 'suggestion', question: 'topic', property: 'agent' },
  { entity: 'response', question: 'topic' },
]

export interface Read {
  step: string
  requests: number
  send: Send
  clients?: number
}

export function listReads(bench: Bench): Read[] {
  const { dataset, records } = bench
  const page = (offset: number): Send => {
    const path = `/api/v1/datasets/${dataset.id}/records?limit=100&offset=${Math.max(0, offset)}&include=responses&include=suggestions`
    return connection => connection.send('GET', path)
  }
  const status = (entity: string) => ({ type: 'terms', scope: { entity, property: 'status' }, values: ['pending'] })
  const queue = JSON.stringify({ filters: { and: [status('response'), status('record')] } })
  const next = `/api/v1/me/datasets/${dataset.id}/records/search?limit=${PAGE}&include=responses&include=suggestions`
  const counts = JSON.stringify({ response_status: 'pending', filters: { and: [bySource] }, of: COUNTED, exclude_own: true })
  const countsPath = `/api/v1/me/datasets/${dataset.id}/records/counts`
  return [
    { step: 'page of 100, first', requests: 100, send: page(0) },
    { step: 'page of 100, middle', requests: 100, send: page(Math.floor(records / 2)) },
    { step: 'page of 100, last', requests: 100, send: page(records - 100) },
    { step: 'filter + sort', requests: 200, send: search(bench, filterAndSort) },
    { step: 'filter + sort, 8 clients', requests: 2000, send: search(bench, filterAndSort), clients: 8 },
    { step: 'filter + sort at offset 5,000', requests: 100, send: search(bench, filterAndSort, 5_000) },
    { step: 'sort by updated_at', requests: 100, send: search(bench, { sort: [byUpdate] }) },
    { step: 'metrics of a term property', requests: 100, send: get(`/api/v1/metadata-properties/${dataset.sourceId}/metrics`) },
    { step: 'word in 5%, filter and sort', requests: 100, send: search(bench, { ...textQuery(MARKERS.some), ...filterAndSort }) },
    { step: 'word in half, by relevance', requests: 100, send: search(bench, textQuery(MARKERS.half)) },
    { step: 'word in 0.1%, 8 clients', requests: 2000, send: search(bench, textQuery(MARKERS.rare)), clients: 8 },
    { step: 'phrase', requests: 100, send: search(bench, textQuery('"ne ri"')) },
    { step: 'prefix', requests: 100, send: search(bench, textQuery('kest*')) },
    { step: 'fuzzy', requests: 100, send: search(bench, textQuery('kestrol~1')) },
    { step: 'counts beside seven filters', requests: 50, send: connection => connection.send('POST', countsPath, counts) },
    { step: 'similarity', requests: 100, send: similar(bench, {}) },
    { step: 'similarity, filtered', requests: 100, send: similar(bench, { filters: { and: [bySource] } }) },
    { step: 'next pending records', requests: 200, send: connection => connection.send('POST', next, queue) },
    { step: 'progress', requests: 200, send: get(`/api/v1/datasets/${dataset.id}/progress`) },
  ]
}

const get =
  (path: string): Send =>
  connection =>
    connection.send('GET', path)

export async function measureReads(bench: Bench): Promise<StepFigure[]> {
  const results: StepFigure[] = []
  for (const { step, requests, send, clients = 1 } of listReads(bench)) {
    results.push({ step, ...(await measure(bench.target, { concurrency: clients, requests, warmup: 20 }, send)) })
  }
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

/** Upserts existing records with new texts and metadata. */
export async function measureUpserts({ target, dataset, records }: Bench): Promise<StepFigure> {
  const requests = Math.min(20, Math.floor(records / UPSERTED))
  const bodies = Array.from({ length: requests }, (_, i) => {
    const first = i * UPSERTED
    const items = Array.from({ length: UPSERTED }, (_, at) => ({
      ...toCorpusRecord(first + at + 1, dataset.questionId),
      external_id: toCorpusRecord(first + at, dataset.questionId).external_id,
    }))
    return JSON.stringify({ items })
  })
  const send: Send = (connection, i) => connection.send('PUT', `/api/v1/datasets/${dataset.id}/records/bulk`, bodies[i] ?? '')
  return { step: 'upsert of 500 existing records', ...(await measure(target, { concurrency: 1, requests }, send)) }
}

const UPSERTED = 500

export const ANSWER = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })

export async function measureResponses(bench: Bench): Promise<StepFigure[]> {
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
    { step: 'response submit, one client', ...one },
    { step: 'response submit, 8 clients', ...eight },
    { step: '50 responses in one bulk', ...bulk },
  ]
}

/** Pause between requests, because users do not send them in a tight loop. */
const PAUSE_MS = 5

/** Measures reads and submits while two clients load records. */
export async function measureDuringIngest(bench: Bench): Promise<StepFigure[]> {
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
