/**
 * What this server asks of a search cluster, over the official client of either engine.
 *
 * The clients are loaded when the first request is made, so that a server with the embedded engine never loads them. Their errors hold headers
 * with credentials; what leaves this file does not.
 */
import { readFileSync } from 'node:fs'
import type { ElasticConfig } from '../../search-settings.ts'
import { BLOCKED, EngineError, EngineUnavailable, WritesRefused } from './errors.ts'

export interface EngineRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** Beginning with a slash; ids in it are encoded. */
  path: string
  query?: Record<string, string | number | boolean>
  body?: object
  /** Lines of JSON, each with its end: the body of a bulk request. */
  lines?: string
  timeoutMs?: number
}

export interface EngineClient {
  /** The parsed answer. Throws EngineUnavailable if the same may work later, and EngineError for any other answer that is not a success. */
  request<T>(request: EngineRequest): Promise<T>
  close(): Promise<void>
}

/** The parts of both clients' requests that are used here. */
interface Sent {
  method: string
  path: string
  querystring?: Record<string, string | number | boolean>
  body?: object
  bulkBody?: string
}

interface Connection {
  send(sent: Sent, timeoutMs: number): Promise<unknown>
  close(): Promise<void>
}

/**
 * A connection that the engine has closed is noticed by the next request, which is sent again at once. Every request here may be sent twice. Other
 * failures are left to the callers, who know how long they can wait.
 */
const ATTEMPTS_MAX = 3

export function openClient(config: ElasticConfig): EngineClient {
  let opened: Promise<Connection> | null = null
  const connect = () => {
    opened ??= config.name === 'elasticsearch' ? openElasticsearch(config) : openOpenSearch(config)
    return opened
  }
  return {
    request: async <T>({ method, path, query, body, lines, timeoutMs = config.timeoutMs }: EngineRequest): Promise<T> => {
      const connection = await connect()
      const sent: Sent = {
        method,
        path,
        ...(query && { querystring: query }),
        ...(body && { body }),
        ...(lines !== undefined && { bulkBody: lines }),
      }
      for (let attempt = 1; ; attempt++) {
        try {
          return (await connection.send(sent, Math.min(timeoutMs, config.timeoutMs))) as T
        } catch (error) {
          if ((error as Error).name !== 'ConnectionError' || attempt === ATTEMPTS_MAX) throw toEngineError(error, config)
        }
      }
    },
    close: async () => {
      await (await opened)?.close()
    },
  }
}

const toTls = ({ sslVerify, caPath }: ElasticConfig) => ({
  rejectUnauthorized: sslVerify,
  ...(caPath !== null && { ca: readFileSync(caPath) }),
})

async function openElasticsearch(config: ElasticConfig): Promise<Connection> {
  const { Client } = await import('@elastic/elasticsearch')
  const client = new Client({
    node: config.url,
    ...(config.auth && { auth: config.auth }),
    tls: toTls(config),
    maxRetries: 0,
  })
  return {
    send: (sent, requestTimeout) => client.transport.request(sent, { requestTimeout }),
    close: () => client.close(),
  }
}

async function openOpenSearch(config: ElasticConfig): Promise<Connection> {
  const { Client } = await import('@opensearch-project/opensearch')
  const { auth } = config
  const client = new Client({
    node: config.url,
    ...(auth && 'username' in auth && { auth }),
    // This client has no API keys, but a proxy before the engine may.
    ...(auth && 'apiKey' in auth && { headers: { authorization: `ApiKey ${auth.apiKey}` } }),
    ssl: toTls(config),
    maxRetries: 0,
  })
  return {
    send: async (sent, requestTimeout) => (await client.transport.request(sent, { requestTimeout })).body,
    close: () => client.close(),
  }
}

/** The clients' errors have these in common. */
interface ClientError extends Error {
  statusCode?: number
  body?: unknown
  meta?: { statusCode?: number | null; body?: unknown }
}

/** Too many requests, and what gateways and overloaded engines answer. */
const LATER = new Set([408, 429, 502, 503, 504])

function toEngineError(error: unknown, { name, url }: ElasticConfig): Error {
  const { message = '', meta, ...rest } = error as ClientError
  const given = (error as Error).name
  if (given === 'ProductNotSupportedError')
    return new EngineError(
      0,
      'wrong_engine',
      `What answers at ${url} is not Elasticsearch; expected SERVICE_SEARCH_ENGINE to name it`,
    )
  const status = given === 'ResponseError' ? (rest.statusCode ?? meta?.statusCode ?? null) : null
  if (status === null) {
    // The first line: what follows may describe the request.
    return new EngineUnavailable(`${name} at ${url} does not answer: ${message.split('\n')[0] || given}`)
  }
  const { type, reason } = toReason(rest.body ?? meta?.body)
  if (type === BLOCKED) return new WritesRefused(`${name} at ${url} does not accept changes: ${reason}`)
  if (LATER.has(status)) return new EngineUnavailable(`${name} at ${url} answers ${status}: ${reason}`, type)
  return new EngineError(status, type, reason)
}

interface ErrorBody {
  error?: { type?: string; reason?: string; root_cause?: { type?: string; reason?: string }[] } | string
}

function toReason(body: unknown): { type: string; reason: string } {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody
  if (typeof error === 'string') return { type: 'unknown', reason: error }
  const cause = error?.root_cause?.[0]
  return { type: cause?.type ?? error?.type ?? 'unknown', reason: cause?.reason ?? error?.reason ?? 'no reason given' }
}
