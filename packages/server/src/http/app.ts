/**
 * The HTTP server: mounts every contract, handles unknown paths and methods, limits, CORS and timing. It does not parse bodies or
 * run use cases: each call goes to the thread that its contract names.
 */
import { randomUUID } from 'node:crypto'
import type { Route } from '@postil/domain/api/route'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { openDatasetWatch } from '../events/dataset-watch.ts'
import { mountLegacy } from '../legacy/mount.ts'
import type { Headers } from '../lib/answer.ts'
import { toTelemetryEvent } from '../telemetry/events.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import type { Admit } from './admit.ts'
import { authenticate } from './authenticate.ts'
import { bodyLimitOf, isBodyRefused, isLargeBody, readBody } from './body.ts'
import { type BodyAccount, type BodyBudgets, createBodyBudgets } from './body-budget.ts'
import { type Call, continueCall, type InnerCall, jsonReply, type Reply } from './call.ts'
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
import { type CallerLookup, createCallerLookup } from './identify.ts'
import { createKeepSession, type KeepSession } from './keep-sessions.ts'
import { createLongPolls, type LongPolls, whenClosed } from './long-polls.ts'
import { type AppMetrics, addMetricsRoute, countRequests, METRICS_PATH } from './metrics-route.ts'
import { createPageData, type PageData } from './page-data.ts'
import { toPayload } from './payload.ts'
import { addPathChecks, type MethodsOf, methodNotAllowed, pathOf, refusalOf, searchOf } from './request-checks.ts'
import { sendDownload } from './send-parts.ts'
import { readSender } from './sender.ts'
import { createWebApp, WEB_FOLDER, type WebApp } from './web-app.ts'

/** Sends a call to the thread that handles it. A read is dropped if `isGone` returns true before it starts. */
export type Dispatch = (contract: Route, call: Call, isGone?: () => boolean) => Promise<Reply>

export interface AppOptions {
  /** Folder of the built web UI. */
  webFolder?: string
  /** Overrides of the default connection limits. */
  connections?: Partial<ConnectionLimits>
  admit?: Admit
  /** How long a page waits for the data embedded in it. */
  pageData?: { timeoutMs: number }
  telemetry?: Telemetry
  /** Null if metrics are disabled. */
  metrics?: AppMetrics | null
}

/** The main thread, the writer, the checker, the hasher and the thread for lists. */
const OTHER_THREADS = 5

/** Routes do not use Fastify schemas. Without these stubs Fastify would load its default compilers. */
const refuseSchemas = () => () => {
  throw new Error('routes have no schemas of the framework')
}
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } }

export function buildApp(
  ctx: Context,
  contracts: readonly Route[],
  dispatch: Dispatch,
  {
    webFolder = WEB_FOLDER,
    admit = async () => {},
    telemetry = NO_TELEMETRY,
    metrics = null,
    connections,
    pageData,
  }: AppOptions = {},
): FastifyInstance {
  const connectionsMax = connectionsMaxOf(readProcessLimits(), ctx.config.readerThreads + OTHER_THREADS)
  const limits = toConnectionLimits({ connectionsMax, ...connections })
  const app = fastify({
    ...toServerOptions(limits),
    exposeHeadRoutes: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    // Longer than any request line: `refusalOf` checks the length of paths.
    routerOptions: { maxParamLength: 65_536 },
    schemaController: NO_SCHEMAS,
    forceCloseConnections: 'idle',
    // Requests that arrive while the server closes are still served, because all threads run until the last request has ended.
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(reply)
      void send(reply, refusalOf(request, ctx) ?? jsonReply(404, NOT_FOUND))
    },
    clientErrorHandler: refuseConnection,
  })
  limitConnections(app.server, limits, ctx)
  leaveBodiesAlone(app)
  addTiming(app)
  closeConnectionsBeforeStop(app, ctx)
  if (ctx.config.accessLog) addAccessLog(app, ctx)
  addRequestChecks(app, ctx)
  addCors(app, ctx.config.corsOrigins)
  const bodies = createBodyBudgets(ctx.config.bodyLimitBytes)
  const watch = openDatasetWatch(ctx)
  app.addHook('onClose', async () => watch.close())
  const streams = openEventStreams(app, { ctx, dispatch, watch })
  if (metrics) countRequests(app, metrics, streams.count)
  addMetricsRoute(app, ctx.config.baseUrl.slice(0, -1), metrics, send)
  const callers = createCallerLookup(ctx, { admit, dispatch })
  const serving = { ctx, dispatch, callers, bodies, streams, polls: createLongPolls(app, watch), telemetry }
  const methodsOf = mount(app, serving, contracts)
  addRest(app, methodsOf, createWebApp(ctx, webFolder), createPageData({ ctx, dispatch, callers, limits: pageData }, contracts))
  app.setErrorHandler((error, request, reply) => send(reply, toErrorReply(error, ctx.log, request.id)))
  return app
}

function mount(app: FastifyInstance, serving: Omit<Serving, 'keepSession'>, contracts: readonly Route[]): MethodsOf {
  const { ctx, dispatch } = serving
  const base = ctx.config.baseUrl.slice(0, -1)
  const keepSession = createKeepSession(ctx, dispatch)
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
  mountLegacy(app, base, { answer: (...call) => answer({ ...serving, keepSession }, ...call), send })
  return addPathChecks(app, { base, methodsByPath, send })
}

function addRequestChecks(app: FastifyInstance, ctx: Context) {
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = refusalOf(request, ctx)
    if (refusal === null) return done()
    send(reply, refusal)
  })
}

/** Answers requests that match no route: 405 if the path exists with another method, otherwise the web UI. */
function addRest(app: FastifyInstance, methodsOf: MethodsOf, webApp: WebApp, pageData: PageData) {
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(pathOf(request))
    if (allowed) return send(reply, methodNotAllowed(allowed))
    const answered = webApp({
      method: request.method,
      path: pathOf(request),
      search: searchOf(request),
      headers: request.headers,
      dataFor: name => pageData(request, name),
    })
    return send(reply, answered ?? jsonReply(404, NOT_FOUND))
  })
}

interface Serving {
  ctx: Context
  dispatch: Dispatch
  callers: CallerLookup
  bodies: BodyBudgets
  keepSession: KeepSession
  streams: EventStreams
  polls: LongPolls
  telemetry: Telemetry
}

const ANYBODY = { actor: null, refusal: null, session: null, expected: undefined }

async function answer(serving: Serving, contract: Route, request: FastifyRequest, reply: FastifyReply) {
  const { ctx, dispatch, bodies, keepSession, streams, polls, telemetry } = serving
  const { identify, lookUp, dispatchConfirmed } = serving.callers
  const requestId = randomUUID()
  let account: BodyAccount | null = null
  const finish = (answered: Reply) => {
    const event = telemetry.isOn ? toTelemetryEvent(contract, request.headers, answered) : null
    if (event) telemetry.note(event)
    return send(reply, answered)
  }
  try {
    const sender = readSender(request.raw, ctx.proxies)
    const path = {
      routeId: contract.id,
      params: request.params as Record<string, string>,
      search: searchOf(request),
      contentType: request[BODY_TYPE],
      sender,
      requestId,
    }
    const { session, ...caller } = contract.auth ? await identify(contract, request, path) : ANYBODY
    const { actor } = caller
    const limit = bodyLimitOf(contract, { isKnown: actor !== null, serverBytes: ctx.config.bodyLimitBytes })
    if (contract.body) account = bodies.open({ userId: actor?.id ?? null, isLarge: isLargeBody(contract) })
    const body = account && (await readBody(request.raw, limit, account))
    const given: Call = { ...path, ...caller, body }
    if (session) setHeaders(reply, keepSession(session, given, request.headers))
    const isGone = () => request.raw.socket.destroyed
    const { call, reply: first } = await dispatchConfirmed(contract, request, given, isGone)
    const askPart = (part: InnerCall) => dispatch(part.route, continueCall(call, part), isGone)
    const answered = first.next ? await dispatch(first.next.route, continueCall(call, first.next)) : first
    if (answered.waitsFor) {
      const repeat = async () => {
        const { actor, refusal } = await lookUp(request, call)
        return dispatch(contract, { ...call, actor, refusal }, isGone)
      }
      const poll = { userId: call.actor?.id ?? '', reply: answered, repeat, signal: whenClosed(reply) }
      return await send(reply, await polls.settle(poll))
    }
    if (contract.stream && answered.status === contract.status) {
      return await streams.open(reply, { call, state: answered, authenticate: () => authenticate(ctx, request, sender) })
    }
    if (answered.file || answered.part) return await sendDownload(ctx, answered, { request, reply, askPart })
    return await finish(answered)
  } catch (error) {
    return finish(toErrorReply(error, ctx.log, requestId))
  } finally {
    account?.release()
  }
}

function setHeaders(reply: FastifyReply, headers: Headers) {
  for (const [name, value] of Object.entries(headers)) {
    // `Vary` values are appended to those already set.
    const before = name === 'vary' ? reply.getHeader(name) : undefined
    reply.header(name, before === undefined ? value : `${before}, ${value}`)
  }
}

function send(reply: FastifyReply, answered: Reply) {
  setHeaders(reply, answered.headers ?? {})
  if (answered.contentType !== null) reply.header('content-type', answered.contentType)
  if (answered.close || isBodyRefused(reply.request.raw)) reply.header('connection', 'close')
  return reply.code(answered.status).send(toPayload(answered))
}

/**
 * Disables Fastify's body parsing: `answer` reads bodies after authentication, and their type is checked when they are parsed.
 */
function leaveBodiesAlone(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.decorateRequest(BODY_TYPE, null)
  app.addHook('onRequest', (request, _reply, done) => {
    request[BODY_TYPE] = request.headers['content-type'] ?? null
    // Fastify rejects malformed content types before our handler runs, so every body is passed as `application/octet-stream`.
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

/** Responses may contain personal data, so caching is off by default. Files of the web UI replace this header. */
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

/** Logs one line per request, without bodies and keys. */
function addAccessLog(app: FastifyInstance, { log }: Context) {
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      { method: request.method, path: pathOf(request), status: reply.statusCode, ms: Math.round(elapsedMs(request)) },
      'request',
    )
  })
}
