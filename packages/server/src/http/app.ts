/**
 * The HTTP server: every contract mounted, unknown paths and methods answered, limits, CORS and timing. It parses no
 * body and runs no rule: a call goes to the thread its contract names.
 */
import { randomUUID } from 'node:crypto'
import type { Route } from '@postil/domain/api/route'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { openDatasetWatch } from '../events/dataset-watch.ts'
import type { Headers } from '../lib/answer.ts'
import { toMoment } from '../telemetry/moments.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import type { Admit } from './admit.ts'
import { authenticate, checkNamedUser } from './authenticate.ts'
import { bodyLimitOf, isBodyRefused, readBody } from './body.ts'
import { type BodyAccount, type BodyBudgets, openBodyBudgets } from './body-budget.ts'
import type { Call, Reply } from './call.ts'
import { continueCall, jsonReply } from './call.ts'
import {
  type ConnectionLimits,
  closeConnectionsBeforeStop,
  connectionsMaxOf,
  limitConnections,
  readProcessLimits,
  refuseConnection,
  toConnectionLimits,
  toServerOptions,
} from './connections.ts'
import { addCors } from './cors.ts'
import { addDocs } from './docs.ts'
import { NOT_FOUND, toErrorReply } from './errors.ts'
import { type EventStreams, openEventStreams } from './event-stream.ts'
import { type KeepSession, openKeepSession } from './keep-sessions.ts'
import { type LongPolls, openLongPolls } from './long-polls.ts'
import { type AppMetrics, addMetricsRoute, countRequests, METRICS_PATH } from './metrics-route.ts'
import { addPathChecks, methodNotAllowed, pathOf, refusalOf, routedMethods, searchOf } from './request-checks.ts'
import { readSender, type Sender } from './sender.ts'
import { openWebApp, WEB_FOLDER } from './web-app.ts'

/** Sends a call to where it is answered. A read for which `isGone` is true before it starts is dropped. */
export type Dispatch = (contract: Route, call: Call, isGone?: () => boolean) => Promise<Reply>

export interface AppOptions {
  /** Where the built web UI is. */
  webFolder?: string
  /** Limits of connections that differ from the defaults. */
  connections?: Partial<ConnectionLimits>
  admit?: Admit
  telemetry?: Telemetry
  /** Null: nothing is counted. */
  metrics?: AppMetrics | null
}

/** The main thread, the writer, the checker, the hasher and the one for lists. */
const OTHER_THREADS = 5

/** Routes have no schemas of the framework; without compilers of our own it would load its default ones. */
const refuseSchemas = () => () => {
  throw new Error('routes have no schemas of the framework')
}
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } }

export function buildApp(
  ctx: Context,
  contracts: readonly Route[],
  dispatch: Dispatch,
  { webFolder = WEB_FOLDER, admit = async () => {}, telemetry = NO_TELEMETRY, metrics = null, connections }: AppOptions = {},
): FastifyInstance {
  const connectionsMax = connectionsMaxOf(readProcessLimits(), ctx.config.readerThreads + OTHER_THREADS)
  const limits = toConnectionLimits({ connectionsMax, ...connections })
  const app = fastify({
    ...toServerOptions(limits),
    exposeHeadRoutes: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    // Longer than any request line: the length of paths is checked in `refusalOf`.
    routerOptions: { maxParamLength: 65_536 },
    schemaController: NO_SCHEMAS,
    forceCloseConnections: 'idle',
    // What arrives while the server closes is answered too: all threads are there until the last request is.
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(reply)
      void send(reply, refusalOf(request, ctx) ?? jsonReply(404, NOT_FOUND))
    },
    clientErrorHandler: refuseConnection,
  })
  limitConnections(app.server, limits, ctx.log)
  leaveBodiesAlone(app)
  addTiming(app)
  closeConnectionsBeforeStop(app, ctx)
  if (ctx.config.accessLog) addAccessLog(app, ctx)
  addRequestChecks(app, ctx)
  addCors(app, ctx.config.corsOrigins)
  const bodies = openBodyBudgets(ctx.config.bodyLimitBytes)
  const watch = openDatasetWatch(ctx)
  app.addHook('onClose', async () => watch.close())
  const streams = openEventStreams(app, { ctx, dispatch, watch })
  if (metrics) countRequests(app, metrics, streams.count)
  addMetricsRoute(app, ctx.config.baseUrl.slice(0, -1), metrics, send)
  mount(app, { ctx, dispatch, admit, bodies, streams, polls: openLongPolls(app, watch), telemetry }, contracts)
  addWebApp(app, ctx, webFolder)
  app.setErrorHandler((error, request, reply) => send(reply, toErrorReply(error, ctx.log, request.id)))
  return app
}

function mount(app: FastifyInstance, serving: Omit<Serving, 'keepSession'>, contracts: readonly Route[]) {
  const { ctx, dispatch } = serving
  const base = ctx.config.baseUrl.slice(0, -1)
  const keepSession = openKeepSession(ctx, dispatch)
  const docs = ctx.config.docsEnabled ? addDocs(app, base, contracts) : []
  const methodsByPath = new Map<string, string[]>([...docs, METRICS_PATH].map(path => [path, ['GET']]))
  for (const contract of contracts) {
    const methods = methodsByPath.get(contract.path) ?? []
    methodsByPath.set(contract.path, [...methods, contract.method])
    app.route({
      method: contract.method,
      url: base + contract.path,
      config: { operation: contract.id, isStream: contract.stream === true },
      handler: (request, reply) => answer({ ...serving, keepSession }, contract, request, reply),
    })
  }
  for (const [path, allowed] of methodsByPath) {
    const others = routedMethods(app).filter(method => !allowed.includes(method))
    app.route({ method: others, url: base + path, handler: (_request, reply) => send(reply, methodNotAllowed(allowed)) })
  }
  addPathChecks(app, { base, methodsByPath, send })
}

function addRequestChecks(app: FastifyInstance, ctx: Context) {
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = refusalOf(request, ctx)
    if (refusal === null) return done()
    send(reply, refusal)
  })
}

/** Serves the web UI for every path that is not an API route. */
function addWebApp(app: FastifyInstance, ctx: Context, folder: string) {
  const webApp = openWebApp(ctx, folder)
  app.setNotFoundHandler((request, reply) => {
    const answered = webApp({
      method: request.method,
      path: pathOf(request),
      search: searchOf(request),
      headers: request.headers,
    })
    return send(reply, answered ?? jsonReply(404, NOT_FOUND))
  })
}

interface Serving {
  ctx: Context
  dispatch: Dispatch
  admit: Admit
  bodies: BodyBudgets
  keepSession: KeepSession
  streams: EventStreams
  polls: LongPolls
  telemetry: Telemetry
}

const ANYBODY = { actor: null, refusal: null, session: null }

async function answer(serving: Serving, contract: Route, request: FastifyRequest, reply: FastifyReply) {
  const { ctx, dispatch, admit, bodies, keepSession, streams, polls, telemetry } = serving
  const requestId = randomUUID()
  let account: BodyAccount | null = null
  const finish = (answered: Reply) => {
    const moment = telemetry.isOn ? toMoment(contract, request.headers, answered) : null
    if (moment) telemetry.note(moment)
    return send(reply, answered)
  }
  try {
    const sender = readSender(request.raw, ctx.proxies)
    const { actor, refusal, session } = contract.auth ? await authenticate(ctx, request, sender) : ANYBODY
    checkNamedUser(request.headers, actor)
    const head = {
      routeId: contract.id,
      params: request.params as Record<string, string>,
      search: searchOf(request),
      contentType: request[BODY_TYPE],
      actor,
      refusal,
      sender,
      requestId,
    }
    await admit(ctx, contract, head)
    const limit = bodyLimitOf(contract, { isKnown: actor !== null, serverBytes: ctx.config.bodyLimitBytes })
    if (contract.body) account = bodies.open({ userId: actor?.id ?? null, isLarge: contract.largeBody === true })
    const body = account && (await readBody(request.raw, limit, account))
    const call: Call = { ...head, body }
    if (session) setHeaders(reply, keepSession(session, call, request.headers))
    const ask = (asked: Call) => dispatch(contract, asked, () => request.raw.socket.destroyed)
    const { next, ...answered } = await ask(call)
    if (answered.waitsFor) {
      const look = async () => ask({ ...call, ...(await findActor(ctx, request, sender)) })
      const poll = { userId: actor?.id ?? '', reply: answered, look, signal: whenClosed(reply) }
      return await send(reply, await polls.settle(poll))
    }
    if (contract.stream && answered.status === contract.status) {
      const again = () => authenticate(ctx, request, sender)
      return await streams.open(reply, { call, state: answered, authenticate: again })
    }
    return await finish(next ? await dispatch(next.route, continueCall(call, next)) : answered)
  } catch (error) {
    return finish(toErrorReply(error, ctx.log, requestId))
  } finally {
    account?.release()
  }
}

/** Whose credentials they are by now. */
async function findActor(ctx: Context, request: FastifyRequest, sender: Sender): Promise<Pick<Call, 'actor' | 'refusal'>> {
  const { actor, refusal } = await authenticate(ctx, request, sender)
  checkNamedUser(request.headers, actor)
  return { actor, refusal }
}

function whenClosed(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  if (reply.raw.destroyed) controller.abort()
  return controller.signal
}

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
  if (answered.close || isBodyRefused(reply.request.raw)) reply.header('connection', 'close')
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
    setCommonHeaders(reply)
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('server-timing', `total;dur=${elapsedMs(request).toFixed(3)}`)
    done()
  })
}

/** Answers hold personal data and secrets. What browsers may keep, such as files of the web UI, replaces this header. */
function setCommonHeaders(reply: FastifyReply) {
  reply.header('x-content-type-options', 'nosniff')
  reply.header('cache-control', 'no-store')
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
