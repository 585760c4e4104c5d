/** API calls that raise every event, and the events that receivers must get. */
import type { StartedServer } from '../server.ts'

export interface SeenEvent {
  type: string
  /** Id of the dataset, record or response of the event. */
  id: string
  /** Record of the event; null for dataset events. */
  recordId: string | null
}

type Body = Record<string, unknown> | undefined

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes, of which only ids are read
type Json = any

export async function call(server: StartedServer, method: string, path: string, body?: Body): Promise<Json> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { 'x-argilla-api-key': server.apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text === '' ? null : JSON.parse(text)
}

/** Raises each of the eleven events with two records. Returns them in order. */
export async function raiseEveryEvent(server: StartedServer, name: string): Promise<SeenEvent[]> {
  const { items: workspaces } = await call(server, 'GET', '/me/workspaces')
  const { id } = await call(server, 'POST', '/datasets', { name, workspace_id: workspaces[0].id })
  await call(server, 'POST', `/datasets/${id}/fields`, {
    name: 'text',
    title: 'Text',
    required: true,
    settings: { type: 'text' },
  })
  const options = ['good', 'bad'].map(value => ({ value, text: value }))
  const settings = { type: 'label_selection', options }
  await call(server, 'POST', `/datasets/${id}/questions`, { name: 'mood', title: 'Mood', required: true, settings })
  await call(server, 'PUT', `/datasets/${id}/publish`)
  await call(server, 'PATCH', `/datasets/${id}`, { guidelines: 'Look twice.' })
  const items = ['first', 'second'].map(text => ({ fields: { text }, external_id: text }))
  const { items: records } = await call(server, 'POST', `/datasets/${id}/records/bulk`, { items })
  const [first, second] = records.map((record: { id: string }) => record.id)
  await call(server, 'PATCH', `/records/${first}`, { metadata: { seen: 'yes' } })
  const answer = (value: string) => ({ values: { mood: { value } }, status: 'submitted' })
  const { id: response } = await call(server, 'POST', `/records/${first}/responses`, answer('good'))
  await call(server, 'PUT', `/responses/${response}`, answer('bad'))
  await call(server, 'DELETE', `/responses/${response}`)
  await call(server, 'DELETE', `/records/${first}`)
  await call(server, 'DELETE', `/datasets/${id}`)

  const ofDataset = (type: string): SeenEvent => ({ type, id, recordId: null })
  const ofRecord = (type: string, recordId: string): SeenEvent => ({ type, id: recordId, recordId })
  const ofResponse = (type: string): SeenEvent => ({ type, id: response, recordId: first })
  return [
    ofDataset('dataset.created'),
    ofDataset('dataset.published'),
    ofDataset('dataset.updated'),
    ofRecord('record.created', first),
    ofRecord('record.created', second),
    ofRecord('record.updated', first),
    ofRecord('record.updated', first),
    ofRecord('record.completed', first),
    ofResponse('response.created'),
    ofResponse('response.updated'),
    ofRecord('record.updated', first),
    ofResponse('response.deleted'),
    ofRecord('record.deleted', first),
    ofDataset('dataset.deleted'),
  ]
}

export const EVENTS = [
  'dataset.created',
  'dataset.updated',
  'dataset.deleted',
  'dataset.published',
  'record.created',
  'record.updated',
  'record.deleted',
  'record.completed',
  'response.created',
  'response.updated',
  'response.deleted',
]

/** Groups the events by record or dataset, because the order is guaranteed only within a group. */
export const byRecord = (events: readonly SeenEvent[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(events, ({ recordId }) => recordId ?? 'datasets')]
      .map(([key, ofKey]) => [key, ofKey.map(({ type, id }) => `${type} ${id}`)] as const)
      .sort(([left], [right]) => left.localeCompare(right)),
  )
