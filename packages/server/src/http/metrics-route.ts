/** Counts requests and serves `/metrics`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'
import type { Scrape } from '../metrics/scrape.ts'
import { CONTENT_TYPE } from '../metrics/text-format.ts'
import { jsonReply, type Reply, textReply } from './call.ts'
import { NOT_FOUND } from './errors.ts'

export const METRICS_PATH = '/metrics'

export interface AppMetrics {
  metrics: Metrics
  scrape: Scrape
  /** Null if no token is required. */
  token: string | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Operation name in the metrics. */
    operation?: string
    /** True for event streams, which end when the reader disconnects. */
    isStream?: boolean
  }
}

const ARRIVED = Symbol('arrived')
declare module 'fastify' {
  interface FastifyRequest {
    [ARRIVED]: number
  }
}

/** `web` stands for every path that is not a route. */
const operationOf = ({ routeOptions: { config, url } }: FastifyRequest) =>
  config?.operation ?? (url === undefined ? 'web' : 'other')

export function countRequests(app: FastifyInstance, { metrics, scrape }: AppMetrics, eventStreams: () => number): void {
  let inFlight = 0
  app.decorateRequest(ARRIVED, 0)
  app.addHook('onRequest', (request, reply, done) => {
    request[ARRIVED] = performance.now()
    if (!request.routeOptions.config?.isStream) {
      inFlight++
      // Also emitted if the client closes the connection before the response.
      reply.raw.once('close', () => {
        inFlight--
      })
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const ms = request.routeOptions.config?.isStream ? null : performance.now() - request[ARRIVED]
    metrics.noteRequest(operationOf(request), reply.statusCode, ms)
    done()
  })
  scrape.watchHttp(() => ({ inFlight, eventStreams: eventStreams() }))
}

/** Responds with 404 if metrics are disabled; otherwise the web UI would respond with a page, which a scraper cannot read. */
export function addMetricsRoute(
  app: FastifyInstance,
  base: string,
  given: AppMetrics | null,
  send: (reply: FastifyReply, answered: Reply) => FastifyReply,
): void {
  app.get(base + METRICS_PATH, { config: { operation: 'metrics' } }, async (request, reply) => {
    if (given === null) return send(reply, jsonReply(404, NOT_FOUND))
    if (!isAllowed(request.headers.authorization, given.token)) return send(reply, REFUSED)
    return send(reply, textReply(200, await given.scrape.toText(), CONTENT_TYPE))
  })
}

const REFUSED: Reply = {
  ...jsonReply(401, { detail: 'The metrics need the bearer token of SERVICE_METRICS_TOKEN.' }),
  headers: { 'www-authenticate': 'Bearer' },
}

function isAllowed(authorization: string | undefined, token: string | null): boolean {
  if (token === null) return true
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  // Digests have equal length, so that the duration of the comparison reveals nothing.
  return timingSafeEqual(digest(given), digest(token))
}

const digest = (text: string) => createHash('sha256').update(text).digest()
