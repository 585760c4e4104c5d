/**
 * One typed call over a contract: what every method of the client does.
 *
 * A call is tried again when the server is overloaded (503) or the connection failed, and only if doing it twice is as good
 * as once: reads, PUT and DELETE; other calls only when no connection was made, so that the server cannot have seen them.
 */
import type { Route, RouteAnswer, RouteInput } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import { ConnectionError, toError, UnexpectedAnswerError } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Where calls go and how. */
export interface Connection {
  /** Without a slash at the end. */
  url: string
  credentials: Record<string, string>
  fetch: Fetch
  timeoutMs: number
}

export interface CallOptions {
  /** Ends the call; what it throws is the signal's reason. */
  signal?: AbortSignal
}

type Nothing = Record<never, never>

/** A part that the contract does not have is left out; one without required keys may be. */
type Part<Name extends string, T> = unknown extends T ? Nothing : Nothing extends T ? { [K in Name]?: T } : { [K in Name]: T }
type BodyPart<T> = unknown extends T ? Nothing : { body: T }

/** What a call takes: path parameters, query and body as the contract has them. */
export type CallInput<R extends Route> = Part<'params', RouteInput<R>['params']> &
  Part<'query', RouteInput<R>['query']> &
  BodyPart<RouteInput<R>['body']>

/** What a call answers; undefined for contracts without a body. */
export type CallAnswer<R extends Route> = unknown extends RouteAnswer<R> ? undefined : RouteAnswer<R>

const REPEATABLE_METHODS: readonly string[] = ['GET', 'PUT', 'DELETE']
const RETRY_PAUSES_MS = [200, 400, 800, 1600]

export async function call<R extends Route>(
  connection: Connection,
  route: R,
  input: CallInput<R>,
  options: CallOptions = {},
): Promise<CallAnswer<R>> {
  const request = toRequest(connection, route, input as Given)
  for (let attempt = 0; ; attempt++) {
    try {
      // The contract's answer is what the server gave: the types of both come from the same schema.
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
}

/** The input without its types: every part may be missing. */
interface Given {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

function toRequest({ url, credentials }: Connection, route: Route, given: Given): Request {
  const accept = route.responseType ?? 'application/json'
  const headers: Record<string, string> = { accept, ...(route.auth ? credentials : {}) }
  // Followed by hand only: fetch would send the API key along to another host.
  const init: RequestInit = { method: route.method, headers, redirect: 'manual' }
  if (route.body !== undefined) {
    const isForm = route.bodyType === 'form'
    headers['content-type'] = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    init.body = isForm ? toQueryString(given.body as Given['query']) : JSON.stringify(given.body)
  }
  const query = toQueryString(given.query)
  return { url: url + toPath(route.path, given.params) + (query && `?${query}`), init }
}

function toPath(path: string, params: Given['params'] = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name] ?? '')
    // Each of these would make it the path of another route.
    if (['', '.', '..'].includes(value)) throw new TypeError(`Path parameter \`${name}\` of ${path} needs a value`)
    return encodeURIComponent(value)
  })
}

/** Lists are repeated: `include=responses&include=vectors`. */
function toQueryString(values: Given['query'] = {}): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one != null) pairs.append(name, String(one))
  }
  return pairs.toString()
}

interface Received {
  status: number
  text: string
}

async function send({ fetch, timeoutMs }: Connection, { url, init }: Request, { signal }: CallOptions): Promise<Received> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
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

/** Node tells in the cause that nothing was sent. Browsers never tell, so there it counts as broken. */
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

function toAnswer(route: Route, { status, text }: Received): unknown {
  if (status !== route.status && !route.otherStatuses?.includes(status)) throw toError(status, text)
  if (route.response === undefined) return undefined
  if (route.responseType !== undefined) return text
  try {
    return JSON.parse(text)
  } catch {
    // Often a page of something else that listens there, with status 200.
    throw new UnexpectedAnswerError(status, text)
  }
}

/** Varied, so that many clients that were refused together do not come back together. */
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
