/**
 * Sends requests to a search cluster through the official client of its engine.
 *
 * The clients are loaded on the first request, so that a server with the embedded engine never loads them. Their errors contain
 * headers with credentials; the errors that this file throws do not.
 */
import { readFileSync } from 'node:fs'
import type { ElasticConfig } from '../../search-settings.ts'
import { BLOCKED, EngineError, EngineUnavailable, WritesRefused } from './errors.ts'

export interface EngineRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** Starts with a slash. Ids in the path must be URL-encoded. */
  path: string
  query?: Record<string, string | number | boolean>
  body?: object
  /** Body of a bulk request: lines of JSON, each ending with a newline. */
  lines?: string
  timeoutMs?: number
}

export interface EngineClient {
  /**
   * Returns the parsed response. Throws EngineUnavailable if a retry may succeed, and EngineError for any other error response.
   */
  request<T>(request: EngineRequest): Promise<T>
  close(): Promise<void>
}

/** The parameters of both clients' requests that are used here. */
interface ClientRequest {
  method: string
  path: string
  querystring?: Record<string, string | number | boolean>
  body?: object
  bulkBody?: string
}

interface Connection {
  send(sent: ClientRequest, timeoutMs: number): Promise<unknown>
  close(): Promise<void>
}

/**
 * Attempts per request. A connection that the engine has closed is detected only by the next request, which is then resent
 * immediately. All requests here are safe to send twice. Other failures are left to the callers, because only they can tell how
 * long to wait.
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
      const sent: ClientRequest = {
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
    // The OpenSearch client does not support API keys, but a proxy in front of the engine may.
    ...(auth && 'apiKey' in auth && { headers: { authorization: `ApiKey ${auth.apiKey}` } }),
    ssl: toTls(config),
    maxRetries: 0,
  })
  return {
    send: async (sent, requestTimeout) => (await client.transport.request(sent, { requestTimeout })).body,
    close: () => client.close(),
  }
}

/** Properties that the errors of both clients share. */
interface ClientError extends Error {
  statusCode?: number
  body?: unknown
  meta?: { statusCode?: number | null; body?: unknown }
}

/** Status codes for timeouts, rate limits, gateways and overloaded engines, for which a retry may succeed. */
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
    // Uses only the first line, because the others may describe the request.
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
