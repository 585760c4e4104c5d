/**
 * `fetch` for one service whose URL the operator has configured, and for the hosts where that service stores files.
 *
 * The service itself may be in a private network. Other hosts, from its redirects and upload URLs, may be private only if the
 * service is. Names are resolved once and checked, as for webhooks. Credentials are not sent to other origins.
 */
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { CONNECT_MS_MAX, lookupOf, OutgoingError, type ResolvedAddress, resolveHost, toHost, urlRefusal } from './outgoing.ts'
import { addressRefusal } from './outgoing-addresses.ts'
import { outgoingFailure } from './outgoing-failure.ts'

const REDIRECTS_MAX = 5
const HEADER_BYTES_MAX = 32 * 1024
/** Maximum time without a byte in either direction. */
const IDLE_MS_MAX = 120_000

interface FetchOptions {
  /** URL that the operator has configured. */
  serviceUrl: string
  /** Maximum size of one response. */
  bytesMax: number
  signal?: AbortSignal
}

export function createServiceFetch({ serviceUrl, bytesMax, signal }: FetchOptions): typeof fetch {
  const service = new URL(serviceUrl)
  let isServicePrivate: boolean | null = null

  async function findAddresses(url: URL): Promise<ResolvedAddress[]> {
    const isService = url.host === service.host
    isServicePrivate ??= await isPrivate(service)
    const policy = { allowPrivate: isService || isServicePrivate }
    const refused = urlRefusal(url.href, policy)
    if (refused !== null) throw new OutgoingError(refused)
    return resolveHost(toHost(url.hostname), policy)
  }

  async function follow(url: URL, init: RequestInit, left: number): Promise<Response> {
    const signals = [signal, init.signal].filter(each => each != null)
    const answer = await send(url, init, await findAddresses(url), AbortSignal.any(signals))
    const location = answer.headers.location
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) && location !== undefined
    if (!isRedirect || init.redirect === 'manual') return toResponse(answer, url, bytesMax)
    answer.destroy()
    if (left === 0) throw new OutgoingError(`\`${url.host}\` redirects too often.`)
    const next = new URL(location, url)
    return follow(next, next.origin === url.origin ? init : { ...init, headers: withoutCredentials(init.headers) }, left - 1)
  }

  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    try {
      return await follow(url, init, isRepeatable(init) ? REDIRECTS_MAX : 0)
    } catch (error) {
      throw error instanceof OutgoingError ? error : new OutgoingError(outgoingFailure(error, toHost(url.hostname)))
    }
  }
}

/** Requests with a body are not sent twice. */
const isRepeatable = ({ method = 'GET' }: RequestInit) => method === 'GET' || method === 'HEAD'

async function isPrivate(url: URL): Promise<boolean> {
  const addresses = await resolveHost(toHost(url.hostname), { allowPrivate: true })
  return addresses.some(({ address }) => addressRefusal(address, { allowPrivate: false }) !== null)
}

function withoutCredentials(given: RequestInit['headers']): Headers {
  const headers = new Headers(given)
  for (const name of ['authorization', 'cookie']) headers.delete(name)
  return headers
}

function send(url: URL, init: RequestInit, addresses: readonly ResolvedAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { body, length } = toBody(init.body)
  const sent = start(url, init, addresses, length)
  const abort = () => sent.destroy(new OutgoingError('The request was canceled.'))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  sent.setTimeout(IDLE_MS_MAX, () => sent.destroy(new OutgoingError(`No answer within ${IDLE_MS_MAX / 1000} seconds.`)))
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.on('close', () => {
    signal.removeEventListener('abort', abort)
    reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
  })
  if (body instanceof Readable) body.on('error', error => sent.destroy(error)).pipe(sent)
  else sent.end(body)
  return promise
}

interface SentBody {
  body: Readable | Uint8Array | string | undefined
  length: number | undefined
}

/** Supports the kinds of bodies that our libraries send. */
function toBody(given: RequestInit['body']): SentBody {
  if (given == null) return { body: undefined, length: undefined }
  if (typeof given === 'string') return { body: given, length: Buffer.byteLength(given) }
  if (given instanceof Uint8Array) return { body: given, length: given.byteLength }
  if (given instanceof ArrayBuffer) return { body: new Uint8Array(given), length: given.byteLength }
  // File storage services require the length before the first byte.
  if (given instanceof Blob) return { body: Readable.fromWeb(given.stream() as never), length: given.size }
  throw new TypeError('This kind of body is not sent')
}

function start(url: URL, init: RequestInit, addresses: readonly ResolvedAddress[], length: number | undefined): ClientRequest {
  const host = toHost(url.hostname)
  const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: CONNECT_MS_MAX }
  const isTls = url.protocol === 'https:'
  const options = {
    method: init.method ?? 'GET',
    headers: {
      ...Object.fromEntries(new Headers(init.headers)),
      host: url.host,
      'accept-encoding': 'identity',
      ...(length !== undefined && { 'content-length': String(length) }),
    },
    // A separate agent, because the global one may use a proxy from the environment.
    agent: isTls ? new https.Agent(agentOptions) : new http.Agent(agentOptions),
    lookup: lookupOf(addresses),
    maxHeaderSize: HEADER_BYTES_MAX,
    insecureHTTPParser: false,
  }
  if (!isTls) return http.request(url, options)
  return https.request(url, { ...options, rejectUnauthorized: true, servername: isIP(host) ? '' : host.replace(/\.+$/, '') })
}

function toResponse(answer: IncomingMessage, url: URL, bytesMax: number): Response {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const { statusCode: status = 500 } = answer
  const hasBody = status !== 204 && status !== 205 && status !== 304
  if (!hasBody) answer.resume()
  const response = new Response(hasBody ? (Readable.toWeb(limit(answer, bytesMax)) as never) : null, { status, headers })
  return Object.defineProperty(response, 'url', { value: url.href })
}

/** Fails if there are more bytes than `bytesMax`, or fewer than announced in the response. */
function limit(answer: IncomingMessage, bytesMax: number): Readable {
  let bytes = 0
  async function* pass() {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length
      if (bytes > bytesMax) throw new OutgoingError(`The answer has more than ${bytesMax} bytes.`)
      yield chunk
    }
    if (!answer.complete) throw new OutgoingError('The answer was cut off.')
  }
  return Readable.from(pass(), { objectMode: false })
}
