/**
 * Requests to URLs that users enter, such as webhooks.
 *
 * A host name is resolved once, all its addresses are checked, and the socket connects to one of them. This prevents DNS
 * rebinding: a name cannot resolve to a public address for the check and to a private one later. Redirects are not followed,
 * proxies from the environment are not used, and connections are not reused.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { addressRefusal, nameRefusal, type OutgoingPolicy } from './outgoing-addresses.ts'
import { outgoingFailure } from './outgoing-failure.ts'

export type { OutgoingPolicy } from './outgoing-addresses.ts'

/** The request could not be sent or got no response. The message is for users and contains no headers and no body. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
}

export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  /** Timeout of the whole exchange, from name resolution to the last byte of the response. */
  timeoutMs: number
  /** How many bytes of the response body to read. */
  excerptBytes: number
}

export interface OutgoingAnswer {
  status: number
  /** The beginning of the body as text, without control characters. */
  excerpt: string
}

export interface ResolvedAddress {
  address: string
  family: number
}

export interface OutgoingOptions extends OutgoingPolicy {
  signal?: AbortSignal
  /** Resolves a host name to all its addresses; the system's resolver by default. */
  resolve?: (name: string) => Promise<ResolvedAddress[]>
}

const HEADER_BYTES_MAX = 16 * 1024
const ADDRESSES_MAX = 16
/** Connection timeout for each address of a name but the last. Node's default of 250 ms is too short for distant servers. */
export const CONNECT_MS_MAX = 3_000

/** Returns why a URL may not be called, judged by the URL alone, or null. */
export function urlRefusal(url: string, policy: OutgoingPolicy): string | null {
  if (!URL.canParse(url)) return 'The URL is not valid.'
  const { protocol, username, password, hostname, port } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The URL must begin with http:// or https://.'
  if (username !== '' || password !== '') return 'The URL must not contain a user name or password.'
  if (port === '0') return 'The port of the URL must not be 0.'
  const host = toHost(hostname)
  const reason = isIP(host) ? addressRefusal(host, policy) : nameRefusal(host, policy)
  return reason === null ? null : `\`${host}\` must not be called: ${reason}.`
}

/**
 * Sends a POST request. A response with any status counts, including redirects. After the status has arrived, the body cannot
 * make the call fail: if it is too long, too slow or truncated, its beginning is the excerpt.
 */
export async function post(request: OutgoingRequest, options: OutgoingOptions): Promise<OutgoingAnswer> {
  const refused = urlRefusal(request.url, options)
  if (refused !== null) throw new OutgoingError(refused)

  const url = new URL(request.url)
  const limit = createTimeoutSignal(request.timeoutMs, options.signal)
  try {
    const addresses = await unlessAborted(resolveHost(toHost(url.hostname), options), limit.signal)
    return await exchange(request, url, addresses, limit.signal)
  } catch (error) {
    throw error instanceof OutgoingError ? error : new OutgoingError(outgoingFailure(error, toHost(url.hostname)))
  } finally {
    limit.close()
  }
}

/** Returns a signal that aborts with an OutgoingError, after a timeout or when the caller cancels. */
function createTimeoutSignal(timeoutMs: number, outer: AbortSignal | undefined): { signal: AbortSignal; close(): void } {
  const controller = new AbortController()
  const expire = () => controller.abort(new OutgoingError(`No answer within ${timeoutMs / 1000} seconds.`))
  const cancel = () => controller.abort(new OutgoingError('The request was canceled.'))
  const timer = setTimeout(expire, timeoutMs)
  if (outer?.aborted) cancel()
  outer?.addEventListener('abort', cancel, { once: true })
  const close = () => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', cancel)
  }
  return { signal: controller.signal, close }
}

/** Returns the host for resolution: IPv6 without brackets. */
export const toHost = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

export async function resolveHost(host: string, options: OutgoingOptions): Promise<ResolvedAddress[]> {
  // `urlRefusal` has already checked IP addresses in the URL.
  if (isIP(host)) return [{ address: host, family: isIP(host) }]
  const addresses = await (options.resolve ?? resolveBySystem)(host)
  if (addresses.length === 0) throw new OutgoingError(`The host name \`${host}\` has no address.`)
  for (const { address } of addresses) {
    const reason = addressRefusal(address, options)
    // The message contains neither the address nor its kind, so that callers cannot explore name resolution in the server's
    // network.
    if (reason !== null) throw new OutgoingError(`\`${host}\` must not be called: it does not resolve to public addresses only.`)
  }
  return addresses.slice(0, ADDRESSES_MAX)
}

/** Lookups in progress. They cannot be canceled, so a retry shares the one that is still running. */
const lookups = new Map<string, Promise<ResolvedAddress[]>>()

function resolveBySystem(name: string): Promise<ResolvedAddress[]> {
  const running = lookups.get(name)
  if (running !== undefined) return running
  const started = systemLookup(name, { all: true }).finally(() => lookups.delete(name))
  lookups.set(name, started)
  return started
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

function exchange(
  request: OutgoingRequest,
  url: URL,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<OutgoingAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>()
  const excerpt = openExcerpt(request.excerptBytes)
  const sent = startRequest(request, url, addresses)
  let status: number | undefined
  const end = (error: Error) => {
    if (status === undefined) reject(error)
    else resolve({ status, excerpt: excerpt.text() })
    sent.destroy()
  }
  const closed = () => end(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
  const abort = () => end(signal.reason)
  sent.on('response', response => {
    status = response.statusCode
    readExcerpt(response, excerpt, closed)
  })
  // A protocol switch is a response too, but its data is not read.
  sent.on('upgrade', (response, socket) => {
    status = response.statusCode
    socket.destroy()
    closed()
  })
  sent.on('error', end)
  sent.on('close', closed)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  else sent.end(request.body)
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

function startRequest(request: OutgoingRequest, url: URL, addresses: readonly ResolvedAddress[]): ClientRequest {
  const host = toHost(url.hostname)
  const isTls = url.protocol === 'https:'
  const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: CONNECT_MS_MAX }
  const common = {
    method: 'POST',
    headers: { ...request.headers, host: url.host, 'accept-encoding': 'identity' },
    // A separate agent, because the global one may use a proxy from the environment and reuses connections.
    agent: isTls ? new https.Agent(agentOptions) : new http.Agent(agentOptions),
    lookup: lookupOf(addresses),
    maxHeaderSize: HEADER_BYTES_MAX,
    insecureHTTPParser: false,
  }
  if (!isTls) return http.request(url, common)
  // `rejectUnauthorized` is explicit because an environment variable could otherwise disable the check.
  return https.request(url, { ...common, rejectUnauthorized: true, servername: isIP(host) ? '' : host.replace(/\.+$/, '') })
}

/** Returns the checked addresses, regardless of what the name resolves to now. */
export function lookupOf(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    if (all) return callback(null, [...addresses])
    const [first] = addresses
    callback(null, first?.address ?? '', first?.family)
  }
}

interface Excerpt {
  /** Returns true if more data is needed. */
  add(chunk: Uint8Array): boolean
  text(): string
}

function openExcerpt(bytesMax: number): Excerpt {
  const chunks: Uint8Array[] = []
  let left = bytesMax
  return {
    add: chunk => {
      if (left > 0) chunks.push(chunk.subarray(0, left))
      left -= chunk.byteLength
      return left > 0
    },
    // `stream` omits a character that the limit has cut.
    text: () => new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, ''),
  }
}

function readExcerpt(response: IncomingMessage, excerpt: Excerpt, finish: () => void): void {
  response.on('data', (chunk: Uint8Array) => {
    if (!excerpt.add(chunk)) finish()
  })
  response.on('end', finish)
  response.on('error', finish)
}
