/** Creates and fills the measured dataset. */

import { DIMENSIONS, LABELS, SOURCES, toCorpusRecord } from './corpus.ts'
import { openConnection } from './http-client.ts'
import { check, openConnections, type Target } from './measure.ts'

export interface MeasuredDataset {
  id: string
  questionId: string
  /** Id of the terms metadata property. */
  sourceId: string
}

export async function createMeasuredDataset(target: Target): Promise<MeasuredDataset> {
  const connection = await openConnection(target.url, target.apiKey)
  const post = async (path: string, body: object) =>
    JSON.parse(check(await connection.send('POST', `/api/v1${path}`, JSON.stringify(body))).body.toString())
  const workspaces = JSON.parse(check(await connection.send('GET', '/api/v1/me/workspaces')).body.toString())
  const { id } = await post('/datasets', { name: `measured-${Date.now()}`, workspace_id: workspaces.items[0].id })
  await post(`/datasets/${id}/fields`, { name: 'text', title: 'Text', required: true, settings: { type: 'text' } })
  const options = LABELS.map(value => ({ value, text: value }))
  const question = await post(`/datasets/${id}/questions`, {
    name: 'topic',
    title: 'Topic',
    required: true,
    settings: { type: 'label_selection', options },
  })
  const source = await post(`/datasets/${id}/metadata-properties`, {
    name: 'source',
    title: 'Source',
    settings: { type: 'terms', values: SOURCES },
  })
  await post(`/datasets/${id}/metadata-properties`, { name: 'length', title: 'Length', settings: { type: 'integer' } })
  await post(`/datasets/${id}/metadata-properties`, { name: 'quality', title: 'Quality', settings: { type: 'float' } })
  await post(`/datasets/${id}/vectors-settings`, { name: 'embedding', title: 'Embedding', dimensions: DIMENSIONS })
  check(await connection.send('PUT', `/api/v1/datasets/${id}/publish`))
  connection.close()
  return { id, questionId: question.id, sourceId: source.id }
}

const RECORDS_PER_CALL = 500
const BODIES_AHEAD = 20

/** Creates bodies before the timer starts, a few at a time, so that creating them is not measured and they fit in memory. */
export async function ingest(
  target: Target,
  dataset: MeasuredDataset,
  from: number,
  to: number,
  concurrency: number,
): Promise<{ per_second: number; seconds: number }> {
  const connections = await openConnections(target, concurrency)
  let seconds = 0
  for (let start = from; start < to; start += RECORDS_PER_CALL * BODIES_AHEAD) {
    const bodies = toBodies(dataset, start, Math.min(to, start + RECORDS_PER_CALL * BODIES_AHEAD))
    const began = performance.now()
    await Promise.all(
      connections.map(async connection => {
        for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
          check(await connection.send('PUT', `/api/v1/datasets/${dataset.id}/records/bulk`, body))
        }
      }),
    )
    seconds += (performance.now() - began) / 1000
  }
  for (const connection of connections) connection.close()
  return { per_second: (to - from) / seconds, seconds }
}

export function toBodies(dataset: MeasuredDataset, from: number, to: number): string[] {
  const bodies: string[] = []
  for (let start = from; start < to; start += RECORDS_PER_CALL) {
    const count = Math.min(RECORDS_PER_CALL, to - start)
    const items = Array.from({ length: count }, (_, index) => toCorpusRecord(start + index, dataset.questionId))
    bodies.push(JSON.stringify({ items }))
  }
  return bodies.reverse()
}

/** Returns the ids of up to `count` records from the start of the list. */
export async function listRecordIds({ url, apiKey }: Target, datasetId: string, count: number): Promise<string[]> {
  const connection = await openConnection(url, apiKey)
  const ids: string[] = []
  while (ids.length < count) {
    const path = `/api/v1/datasets/${datasetId}/records?limit=${Math.min(1000, count - ids.length)}&offset=${ids.length}`
    const { items } = JSON.parse(check(await connection.send('GET', path)).body.toString()) as { items: { id: string }[] }
    if (items.length === 0) break
    ids.push(...items.map(({ id }) => id))
  }
  connection.close()
  return ids
}
