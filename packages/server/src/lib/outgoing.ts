/**
 * Requests to URLs that users enter, such as webhooks.
 *
 * A host name is resolved once, all its addresses are checked, and the socket connects to one of them: a name that resolves to
 * a public address first and to a private one later gains nothing. Redirects are not followed, proxies of the environment are not
 * used, and connections are not reused.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type OutgoingPolicy, refusedAddress, refusedName } from './outgoing-addresses.ts'
import { outgoingFailure } from './outgoing-failure.ts'

export type { OutgoingPolicy } from './outgoing-addresses.ts'

/** The request could not be sent or got no answer. The message is for a person and contains no headers and no body. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
}

export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array
  /** For the whole exchange, from resolving the name to the last byte of the answer. */
  timeoutMs: number
  /** How much of the answer's body to read. */
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

/** Why a URL may not be called, as far as the URL itself shows it, or null. */
export function refusedByUrl(url: string, policy: OutgoingPolicy): string | null {
  if (!URL.canParse(url)) return 'The URL is not valid.'
  const { protocol, username, password, hostname, port } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The URL must begin with http:// or https://.'
  if (username !== '' || password !== '') return 'The URL must not contain a user name or password.'
  if (port === '0') return 'The port of the URL must not be 0.'
  const host = toHost(hostname)
  const reason = isIP(host) ? refusedAddress(host, policy) : refusedName(host, policy)
  return reason === null ? null : `\`${host}\` must not be called: ${reason}.`
}

/**
 * Sends a POST request. An answer with any status counts, a redirect too. Once the status is known, the body can no longer make
 * the call fail: if it is too long, too slow or cut off, its beginning is the excerpt.
 */
export async function post(request: OutgoingRequest, options: OutgoingOptions): Promise<OutgoingAnswer> {
  const refused = refusedByUrl(request.url, options)
  if (refused !== null) throw new OutgoingError(refused)

  const url = new URL(request.url)
  const limit = openLimit(request.timeoutMs, options.signal)
  try {
    const addresses = await unlessAborted(resolveHost(toHost(url.hostname), options), limit.signal)
    return await exchange(request, url, addresses, limit.signal)
  } catch (error) {
    throw error instanceof OutgoingError ? error : new OutgoingError(outgoingFailure(error, toHost(url.hostname)))
  } finally {
    limit.close()
  }
}

/** A signal that aborts with an OutgoingError: after some time, or when the caller cancels. */
function openLimit(timeoutMs: number, outer: AbortSignal | undefined): { signal: AbortSignal; close(): void } {
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

/** The host as it is resolved: IPv6 without brackets. */
const toHost = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

async function resolveHost(host: string, options: OutgoingOptions): Promise<ResolvedAddress[]> {
  // refusedByUrl has checked addresses that are written in the URL.
  if (isIP(host)) return [{ address: host, family: isIP(host) }]
  const addresses = await (options.resolve ?? resolveBySystem)(host)
  if (addresses.length === 0) throw new OutgoingError(`The host name \`${host}\` has no address.`)
  for (const { address } of addresses) {
    const reason = refusedAddress(address, options)
    // Names neither the address nor its kind: the caller must not learn how the server's network resolves names.
    if (reason !== null) throw new OutgoingError(`\`${host}\` must not be called: it does not resolve to public addresses only.`)
  }
  return addresses.slice(0, ADDRESSES_MAX)
}

/** Names that are being resolved. Lookups cannot be canceled, so that a retry shares the one that still runs. */
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
  // A switch to another protocol is an answer too, but nothing of it is read.
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
  const common = {
    method: 'POST',
    headers: { ...request.headers, host: url.host, 'accept-encoding': 'identity' },
    // An agent of its own: the global one may use a proxy from the environment, and it keeps connections.
    agent: isTls ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup: lookupOf(addresses),
    maxHeaderSize: HEADER_BYTES_MAX,
    insecureHTTPParser: false,
  }
  if (!isTls) return http.request(url, common)
  // `rejectUnauthorized` has to be set: otherwise a variable of the environment can switch the check off.
  return https.request(url, { ...common, rejectUnauthorized: true, servername: isIP(host) ? '' : host.replace(/\.+$/, '') })
}

/** Answers the addresses that were checked, whatever the name resolves to by now. */
function lookupOf(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    if (all) return callback(null, [...addresses])
    const [first] = addresses
    callback(null, first?.address ?? '', first?.family)
  }
}

interface Excerpt {
  /** Answers whether more is wanted. */
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
    // `stream` leaves out a character that the limit cut in two.
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
