/**
 * The HTTP server: every contract mounted, unknown paths and methods answered, limits, CORS and timing. It parses no
 * body and runs no rule: a call goes to the thread its contract names.
 */
import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { Route } from '@postil/domain/api/route'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Headers } from '../lib/answer.ts'
import { authenticate } from './authenticate.ts'
import { endLingering, readBody } from './body.ts'
import type { Call, Reply } from './call.ts'
import { jsonReply, toInnerCall } from './call.ts'
import { addCors } from './cors.ts'
import { addDocs } from './docs.ts'
import { METHOD_NOT_ALLOWED, NOT_FOUND, toErrorReply } from './errors.ts'
import { type EventStreams, type LiveSource, openEventStreams } from './event-stream.ts'
import { type KeepSession, openKeepSession } from './keep-sessions.ts'
import { readSender } from './sender.ts'
import { openWebApp, WEB_FOLDER } from './web-app.ts'

/** Sends a call to where it is answered. */
export type Dispatch = (contract: Route, call: Call) => Promise<Reply>

/** Nobody may make us read much before saying who they are. */
const ANONYMOUS_BODY_MAX = 65_536

export interface AppOptions {
  /** Where the built web UI is. */
  webFolder?: string
  /** What event streams tell of. */
  live?: LiveSource
}

/** Without a thread that writes, nothing happens. */
const NOTHING_LIVE: LiveSource = { watch: () => {}, listen: () => {} }

export function buildApp(
  ctx: Context,
  contracts: readonly Route[],
  dispatch: Dispatch,
  { webFolder = WEB_FOLDER, live = NOTHING_LIVE }: AppOptions = {},
): FastifyInstance {
  const app = fastify({
    exposeHeadRoutes: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    routerOptions: { maxParamLength: 4_000 },
    forceCloseConnections: 'idle',
    // A request that never ends must not hold its connection for ever.
    requestTimeout: 300_000,
    frameworkErrors: (_error, _request, reply) => void send(reply, jsonReply(404, NOT_FOUND)),
    clientErrorHandler: (error, socket) => {
      const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
      if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    },
  })
  leaveBodiesAlone(app)
  addTiming(app)
  if (ctx.config.accessLog) addAccessLog(app, ctx)
  addCors(app, ctx.config.corsOrigins)
  mount(app, { ctx, dispatch, streams: openEventStreams(app, dispatch, live) }, contracts)
  addWebApp(app, ctx, webFolder)
  app.setErrorHandler((error, request, reply) => send(reply, toErrorReply(error, ctx.log, request.id)))
  return app
}

function mount(app: FastifyInstance, { ctx, dispatch, streams }: Omit<Serving, 'keepSession'>, contracts: readonly Route[]) {
  const base = ctx.config.baseUrl.slice(0, -1)
  const keepSession = openKeepSession(ctx, dispatch)
  const docs = ctx.config.docsEnabled ? addDocs(app, base, contracts) : []
  const methodsByPath = new Map<string, string[]>(docs.map(path => [path, ['GET']]))
  for (const contract of contracts) {
    const methods = methodsByPath.get(contract.path) ?? []
    methodsByPath.set(contract.path, [...methods, contract.method])
    app.route({
      method: contract.method,
      url: base + contract.path,
      handler: (request, reply) => answer({ ctx, dispatch, keepSession, streams }, contract, request, reply),
    })
  }
  for (const [path, allowed] of methodsByPath) {
    const others = METHODS.filter(method => app.supportedMethods.includes(method) && !allowed.includes(method))
    app.route({
      method: others,
      url: base + path,
      handler: (_request, reply) => send(reply.header('allow', allowed.join(', ')), jsonReply(405, METHOD_NOT_ALLOWED)),
    })
  }
  addSlashRedirect(app, base, methodsByPath)
}

/** What is no route of the API is a page or a file of the web UI, or nothing. */
function addWebApp(app: FastifyInstance, ctx: Context, folder: string) {
  const webApp = openWebApp(ctx, folder)
  app.setNotFoundHandler((request, reply) => {
    const answered = webApp({ method: request.method, path: pathOf(request), headers: request.headers })
    return send(reply, answered ?? jsonReply(404, NOT_FOUND))
  })
}

interface Serving {
  ctx: Context
  dispatch: Dispatch
  keepSession: KeepSession
  streams: EventStreams
}

const ANYBODY = { actor: null, refusal: null, session: null }

async function answer(serving: Serving, contract: Route, request: FastifyRequest, reply: FastifyReply) {
  const { ctx, dispatch, keepSession, streams } = serving
  const requestId = randomUUID()
  try {
    const sender = readSender(request.raw, ctx.proxies)
    const { actor, refusal, session } = contract.auth ? await authenticate(ctx, request, sender) : ANYBODY
    const max = contract.auth && !actor ? ANONYMOUS_BODY_MAX : (contract.bodyBytesMax ?? ctx.config.bodyLimitBytes)
    const call: Call = {
      routeId: contract.id,
      params: request.params as Record<string, string>,
      search: searchOf(request),
      contentType: request[BODY_TYPE],
      body: contract.body ? await readBody(request.raw, Math.min(max, ctx.config.bodyLimitBytes)) : null,
      actor,
      refusal,
      sender,
      requestId,
    }
    if (session) setHeaders(reply, keepSession(session, call, request.headers))
    const { next, ...answered } = await dispatch(contract, call)
    if (contract.stream && answered.status === contract.status) {
      const again = () => authenticate(ctx, request, sender)
      return await streams.open(reply, { contract, call, state: answered, authenticate: again })
    }
    return await send(reply, next ? await dispatch(next.route, toInnerCall(call, next)) : answered)
  } catch (error) {
    return send(reply, toErrorReply(error, ctx.log, requestId))
  }
}

const pathOf = ({ raw: { url = '' } }: FastifyRequest) => url.split('?', 1)[0] ?? ''

/** All that follows the first question mark: others belong to values. */
function searchOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** A path with a slash too many is sent on to the one without. */
function addSlashRedirect(app: FastifyInstance, base: string, methodsByPath: ReadonlyMap<string, readonly string[]>) {
  const known = Array.from(methodsByPath, ([path, methods]) => ({ pattern: toPattern(base + path), methods }))
  app.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request)
    if (!path.endsWith('/')) return done()
    const trimmed = path.replace(/\/+$/, '')
    if (!known.some(({ pattern, methods }) => pattern.test(trimmed) && methods.includes(request.method))) return done()
    const search = searchOf(request)
    reply.redirect(search === '' ? trimmed : `${trimmed}?${search}`, 307)
  })
  if (base !== '') app.get(base, (_request, reply) => reply.redirect(`${base}/`, 307))
}

/** `/datasets/:dataset_id` as a regular expression; contracts hold no characters that mean something there. */
const toPattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)

function setHeaders(reply: FastifyReply, headers: Headers) {
  for (const [name, value] of Object.entries(headers)) {
    // What an answer depends on besides is added.
    const before = name === 'vary' ? reply.getHeader(name) : undefined
    reply.header(name, before === undefined ? value : `${before}, ${value}`)
  }
}

function send(reply: FastifyReply, answered: Reply) {
  setHeaders(reply, answered.headers ?? {})
  if (answered.contentType !== null) reply.header('content-type', answered.contentType)
  if (answered.close || answered.status === 413) reply.header('connection', 'close')
  // A body that was refused unread may still be on its way.
  if (answered.status === 413) endLingering(reply.request.raw)
  return reply
    .code(answered.status)
    .send(
      answered.body === null ? undefined : Buffer.from(answered.body.buffer, answered.body.byteOffset, answered.body.byteLength),
    )
}

/** Bodies are read in `answer`, after the credentials are known, and their types judged where they are parsed. */
function leaveBodiesAlone(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.decorateRequest(BODY_TYPE, null)
  app.addHook('onRequest', (request, _reply, done) => {
    request[BODY_TYPE] = request.headers['content-type'] ?? null
    // The framework refuses what it takes for no type at all; this one it always takes.
    if (request[BODY_TYPE] !== null) request.raw.headers['content-type'] = 'application/octet-stream'
    done()
  })
}

const BODY_TYPE = Symbol('body type')
const STARTED = Symbol('started')

function addTiming(app: FastifyInstance) {
  app.decorateRequest(STARTED, 0)
  app.addHook('onRequest', (request, reply, done) => {
    request[STARTED] = performance.now()
    // No answer is to be taken for anything but what its type says.
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('server-timing', `total;dur=${elapsedMs(request).toFixed(3)}`)
    done()
  })
}

const elapsedMs = (request: FastifyRequest) => performance.now() - request[STARTED]

declare module 'fastify' {
  interface FastifyRequest {
    [STARTED]: number
    [BODY_TYPE]: string | null
  }
}

/** One line per request, without what was sent: bodies and keys stay out of logs. */
function addAccessLog(app: FastifyInstance, { log }: Context) {
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      { method: request.method, path: pathOf(request), status: reply.statusCode, ms: Math.round(elapsedMs(request)) },
      'request',
    )
  })
}
