/**
 * Timeouts and limits of connections, and responses to invalid HTTP.
 *
 * A connection that does not deliver its request in time gets a response and is destroyed, whether or not the client closes its
 * side, so that no client can hold file descriptors for long.
 */
import { existsSync, readFileSync } from 'node:fs'
import { maxHeaderSize, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { toRateLimitKey } from '../lib/addresses.ts'
import { NOT_FOUND } from './errors.ts'

export interface ConnectionLimits {
  /** From the first byte of a request, or from the opening of the connection, to the end of the headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** Idle time between two requests. */
  keepAliveMs: number
  /** Time without any byte in either direction, for clients that do not read the response. */
  idleMs: number
  /** Interval at which `headersMs` and `requestMs` are checked. */
  checkEveryMs: number
  connectionsMax: number
  /** Connections of one address, unless it is a trusted proxy. By default three quarters of all, so that others find room. */
  ofAddressMax?: number
}

export const toConnectionLimits = (given: Partial<ConnectionLimits> = {}): ConnectionLimits => ({
  headersMs: 30_000,
  requestMs: 300_000,
  // Longer than the 60 seconds of common proxies, because the proxy must close idle connections first.
  keepAliveMs: 72_000,
  idleMs: 300_000,
  checkEveryMs: 5_000,
  connectionsMax: CONNECTIONS_MAX,
  ...given,
})

/** The limits as Fastify options. */
export const toServerOptions = ({ headersMs, requestMs, keepAliveMs, idleMs, checkEveryMs }: ConnectionLimits) => ({
  http: { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: checkEveryMs },
  requestTimeout: requestMs,
  keepAliveTimeout: keepAliveMs,
  connectionTimeout: idleMs,
})

const CONNECTIONS_MAX = 10_000
const CONNECTIONS_MIN = 16
/** File descriptors reserved for files, the process's own sockets and the database connections of a few threads. */
const RESERVE = 128
const RESERVE_OF_THREAD = 16

const LIMITS_FILE = '/proc/self/limits'

/**
 * Returns the number of connections that leaves enough file descriptors for the database. `limits` is the content of
 * /proc/self/limits, or null if that file does not exist.
 */
export function connectionsMaxOf(limits: string | null, threads: number): number {
  const descriptors = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? Number.POSITIVE_INFINITY)
  const reserve = Math.max(RESERVE, RESERVE_OF_THREAD * threads)
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, descriptors - reserve))
}

/** Null on systems other than Linux. */
export const readProcessLimits = (): string | null => (existsSync(LIMITS_FILE) ? readFileSync(LIMITS_FILE, 'utf8') : null)

const DROP_LOG_MS = 60_000

const ADDRESS_SHARE = 0.75

/** Applies the limits that have no Fastify option. */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  { log, proxies }: Pick<Context, 'log' | 'proxies'>,
): void {
  const { connectionsMax, ofAddressMax = Math.ceil(connectionsMax * ADDRESS_SHARE) } = limits
  server.maxConnections = connectionsMax
  let logged = Number.NEGATIVE_INFINITY
  const warn = () => {
    if (performance.now() - logged < DROP_LOG_MS) return
    logged = performance.now()
    log.warn({ connections_max: connectionsMax, of_address_max: ofAddressMax }, 'too many connections: new ones are closed')
  }
  server.on('drop', warn)
  const open = new Map<string, number>()
  server.on('connection', socket => {
    if (proxies.isTrusted(socket.remoteAddress)) return
    const address = toRateLimitKey(proxies.clientAddress(socket.remoteAddress, undefined))
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
    if (count <= ofAddressMax) return
    warn()
    socket.destroy()
  })
  // The server is not a proxy.
  server.on('connect', (_request, socket) => endWith(socket as Socket, '404 Not Found', NOT_FOUND.detail))
  server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify({ detail: 'The only expectation that is met is 100-continue' })
    response.writeHead(417, { ...HEADERS, 'content-length': body.length }).end(body)
  })
}

const REFUSALS: Readonly<Record<string, [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The headers of the request are larger than ${maxHeaderSize} bytes`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions of the body are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}
const UNREADABLE: [status: string, detail: string] = ['400 Bad Request', 'This is not a valid HTTP/1.1 request']

/** Responds to an invalid or late request and closes the connection. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (ending.has(socket)) return
  // If part of a response, such as an event stream, has been sent, the client would read more bytes as part of it.
  const { _httpMessage: answering } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
  if (!socket.writable || error.code === 'ECONNRESET' || answering?.headersSent) return void socket.destroy()
  endWith(socket, ...(REFUSALS[error.code ?? ''] ?? UNREADABLE))
}

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  connection: 'close',
}

/** How long a client may take to read the response and to close its side. */
const LINGER_MS = 1_000

/** Sockets that are being closed. Data that still arrives on them may be refused again, which is ignored. */
const ending = new WeakSet<Socket>()

function endWith(socket: Socket, status: string, detail: string): void {
  const body = JSON.stringify({ detail })
  const headers = Object.entries({ ...HEADERS, 'content-length': Buffer.byteLength(body) })
  ending.add(socket)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroySoon())
  // Node has no error listener on CONNECT sockets, and an unhandled connection reset would crash the process.
  socket.once('error', () => socket.destroy())
  // Closing a socket with unread data resets the connection, and the client might not get the response.
  socket.resume()
  socket.end(`HTTP/1.1 ${status}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}

/**
 * Sends `Connection: close` before the stop, so that proxies have no open connections left then: requests sent on a closing
 * connection are lost.
 */
export function closeConnectionsBeforeStop(app: FastifyInstance, { readiness }: Pick<Context, 'readiness'>): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (readiness.isStopping) reply.header('connection', 'close')
    done()
  })
}
