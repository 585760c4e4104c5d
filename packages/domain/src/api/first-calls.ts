/**
 * The first requests of the annotation page. The server embeds their responses in the page, and the page looks them up by `key`
 * before it sends a request. A request that differs from these is sent as usual.
 */
import type { DatasetInclude } from '../dataset-includes.ts'
import { OLDEST_FIRST, QUEUES, type Queue, queueFilters } from '../search/queues.ts'

/** Parts of a dataset that the dataset pages show. */
export const DATASET_PARTS = [
  'workspace',
  'fields',
  'questions',
  'metadata_properties',
  'vectors_settings',
  'progress',
  'metrics',
  'users',
] as const satisfies readonly DatasetInclude[]

/** Number of records in the first request of the page. */
export const WINDOW_SIZE = 30
const BEFORE = 5

/** Offset of the first request. It includes a few records before the first one shown, for *previous*. Positions start at 0. */
export const windowStart = (position: number) => Math.max(0, position - BEFORE)

export interface FirstCall {
  routeId: 'getMe' | 'getDataset' | 'searchMyRecords'
  params: Record<string, string>
  /** The query string. */
  search: string
  /** JSON. */
  body: string | null
  key: string
}

export const firstCallKey = (method: string, pathAndQuery: string, body: unknown): string =>
  `${method} ${pathAndQuery}${typeof body === 'string' ? ` ${body}` : ''}`

const PAGE = /^dataset\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/annotation-mode)?$/

/**
 * Returns the first requests of a page; empty for pages other than the annotation page. `path` is relative to the base path,
 * `search` has no question mark.
 */
export function firstCallsOf(path: string, search: string): FirstCall[] {
  const datasetId = PAGE.exec(path)?.[1]
  if (datasetId === undefined) return []
  const params = { dataset_id: datasetId }
  const include = DATASET_PARTS.map(part => `include=${part}`).join('&')
  return [
    { routeId: 'getMe', params: {}, search: '', body: null, key: firstCallKey('GET', '/api/v1/me', null) },
    {
      ...{ routeId: 'getDataset', params, search: include, body: null },
      key: firstCallKey('GET', `/api/v1/datasets/${datasetId}?${include}`, null),
    },
    ...recordsOf(datasetId, new URLSearchParams(search)),
  ]
}

/** Queue and position, the only query parameters supported here. The page handles all others and sends its own requests. */
const SUPPORTED_PARAMETERS = ['status', 'page', 'record']

function recordsOf(datasetId: string, address: URLSearchParams): FirstCall[] {
  const page = address.get('page') || '1'
  if (!/^[1-9]\d{0,8}$/.test(page) || [...address.keys()].some(name => !SUPPORTED_PARAMETERS.includes(name))) return []
  const queue: Queue = QUEUES.find(name => name === address.get('status')) ?? 'pending'
  const search = `offset=${windowStart(Number(page) - 1)}&limit=${WINDOW_SIZE}&include=responses&include=suggestions&highlight=false`
  const body = JSON.stringify({ filters: { and: queueFilters(queue) }, sort: [OLDEST_FIRST] })
  const path = `/api/v1/me/datasets/${datasetId}/records/search`
  const key = firstCallKey('POST', `${path}?${search}`, body)
  return [{ routeId: 'searchMyRecords', params: { dataset_id: datasetId }, search, body, key }]
}
