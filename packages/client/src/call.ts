/**
 * One typed API call for a contract; all methods of the client use it.
 *
 * A call is retried if the server is overloaded (503) or the connection failed, and only if it is idempotent (GET, PUT, DELETE).
 * Other calls are retried only if no connection was made, because then the server cannot have seen them.
 */
import type { Route, RouteAnswer, RouteInput } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import { ConnectionError, toError, UnexpectedAnswerError } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Server URL, credentials and transport of calls. */
export interface Connection {
  /** Without a trailing slash. */
  url: string
  credentials: Record<string, string>
  fetch: Fetch
  timeoutMs: number
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal
}

type Nothing = Record<never, never>

/** Omits a part that the contract does not have; makes a part without required keys optional. */
type Part<Name extends string, T> = unknown extends T ? Nothing : Nothing extends T ? { [K in Name]?: T } : { [K in Name]: T }
type BodyPart<T> = unknown extends T ? Nothing : { body: T }

/** Input of a call: path parameters, query and body as defined in the contract. */
export type CallInput<R extends Route> = Part<'params', RouteInput<R>['params']> &
  Part<'query', RouteInput<R>['query']> &
  BodyPart<RouteInput<R>['body']>

/** Result of a call; undefined for contracts without a response body. */
export type CallAnswer<R extends Route> = unknown extends RouteAnswer<R> ? undefined : RouteAnswer<R>

const REPEATABLE_METHODS: readonly string[] = ['GET', 'PUT', 'DELETE']
const RETRY_PAUSES_MS = [200, 400, 800, 1600]

export async function call<R extends Route>(
  connection: Connection,
  route: R,
  input: CallInput<R>,
  options: CallOptions = {},
): Promise<CallAnswer<R>> {
  const request = toRequest(connection, route, input as UntypedInput)
  for (let attempt = 0; ; attempt++) {
    try {
      // The cast is safe: the server's response and this type come from the same schema.
      return toAnswer(route, await send(connection, request, options)) as CallAnswer<R>
    } catch (error) {
      const pauseMs = RETRY_PAUSES_MS[attempt]
      if (pauseMs === undefined || !mayRepeat(route, error)) throw error
      await pause(pauseMs, options.signal)
    }
  }
}

function mayRepeat({ method }: Route, error: unknown): boolean {
  if (error instanceof ConnectionError && error.problem === 'refused') return true
  if (!REPEATABLE_METHODS.includes(method)) return false
  if (error instanceof ConnectionError) return error.problem === 'broken'
  return error instanceof UnexpectedAnswerError
    ? error.status === 503
    : error instanceof DomainError && error.code === 'unavailable'
}

interface Request {
  url: string
  init: RequestInit
  /** True if the response is read as bytes. */
  isFile: boolean
}

/** The input without its types; every part is optional. */
interface UntypedInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

function toRequest({ url, credentials }: Connection, route: Route, given: UntypedInput): Request {
  const accept = route.responseType ?? 'application/json'
  const headers: Record<string, string> = { accept, ...(route.auth ? credentials : {}) }
  // Redirects are not followed, because fetch would send the API key to the other host.
  const init: RequestInit = { method: route.method, headers, redirect: 'manual' }
  if (route.body !== undefined) {
    const [type, body] = toBody(route, given.body)
    headers['content-type'] = type
    init.body = body
  }
  const query = toQueryString(given.query)
  const isFile = route.responseType === 'application/octet-stream'
  return { url: url + toPath(route.path, given.params) + (query && `?${query}`), init, isFile }
}

function toBody({ bodyType }: Route, body: unknown): [type: string, body: string | Uint8Array<ArrayBuffer>] {
  if (bodyType === 'bytes') return ['application/octet-stream', body as Uint8Array<ArrayBuffer>]
  if (bodyType === 'form') return ['application/x-www-form-urlencoded', toQueryString(body as UntypedInput['query'])]
  return ['application/json', JSON.stringify(body)]
}

function toPath(path: string, params: UntypedInput['params'] = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name] ?? '')
    // Each of these values would turn the path into that of another route.
    if (['', '.', '..'].includes(value)) throw new TypeError(`Path parameter \`${name}\` of ${path} needs a value`)
    return encodeURIComponent(value)
  })
}

/** Repeats the key for each list item: `include=responses&include=vectors`. */
function toQueryString(values: UntypedInput['query'] = {}): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one != null) pairs.append(name, String(one))
  }
  return pairs.toString()
}

interface RawResponse {
  status: number
  text: string
  /** Content of a file, instead of `text`. */
  bytes?: Uint8Array
}

async function send(
  { fetch, timeoutMs }: Connection,
  { url, init, isFile }: Request,
  { signal }: CallOptions,
): Promise<RawResponse> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (response.ok && isFile) return { status: response.status, text: '', bytes: new Uint8Array(await response.arrayBuffer()) }
    return { status: response.status, text: location ? `it leads to ${location}` : await response.text() }
  } catch (error) {
    signal?.throwIfAborted()
    const host = url.split(/(?=\/api\/v1\/)/)[0]
    if (timeout.aborted) throw new ConnectionError('timeout', `No answer from ${host} within ${timeoutMs / 1000} seconds`)
    const problem = wasRefused(error) ? 'refused' : 'broken'
    const what = problem === 'refused' ? `Cannot connect to ${host}` : `The connection to ${host} failed`
    throw new ConnectionError(problem, `${what}: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * True if no connection was made. Node reports this in the error's cause. Browsers do not, so there every failure counts as
 * broken.
 */
function wasRefused(error: unknown): boolean {
  const { code, syscall } = causeOf(error) as { code?: unknown; syscall?: unknown }
  const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']
  return syscall === 'connect' || codes.includes(String(code))
}

const causeOf = (error: unknown): object => (error instanceof Error && error.cause instanceof Error ? error.cause : Object(error))

function reasonOf(error: unknown): string {
  const { code, message } = causeOf(error) as { code?: unknown; message?: unknown }
  return String(message || code || error)
}

function toAnswer(route: Route, { status, text, bytes }: RawResponse): unknown {
  if (status !== route.status && !route.otherStatuses?.includes(status)) throw toError(status, text)
  if (route.response === undefined) return undefined
  if (route.responseType !== undefined) return bytes ?? text
  try {
    return JSON.parse(text)
  } catch {
    // Usually the page of another service at this address, sent with status 200.
    throw new UnexpectedAnswerError(status, text)
  }
}

/** Adds jitter, so that clients that were refused together do not retry together. */
function pause(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2))
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  })
}
