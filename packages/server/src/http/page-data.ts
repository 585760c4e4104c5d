/**
 * Embeds the responses to a page's first requests in the page itself, which saves a round trip (decision 0061). Each is the API
 * response for the user of the session cookie sent with the page request: same route, permissions and thread.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FirstCall, firstCallsOf } from '@postil/domain/api/first-calls'
import type { Route } from '@postil/domain/api/route'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Dispatch } from './app.ts'
import { toErrorReply } from './errors.ts'
import type { CallerLookup } from './identify.ts'
import { searchOf } from './request-checks.ts'
import { readSender, type Sender } from './sender.ts'

/** Null if the page comes without data. The promise never rejects: the page requests missing data itself. */
export type PageData = (request: FastifyRequest, name: string) => Promise<Uint8Array> | null

/** A page starts after its data has arrived, so slow responses are left out. */
const LIMITS = { timeoutMs: 500 }
const ANSWER_BYTES_MAX = 1_048_576

interface Serving {
  ctx: Context
  dispatch: Dispatch
  callers: CallerLookup
  limits?: typeof LIMITS | undefined
}

interface PageCall {
  call: FirstCall
  route: Route
}

export function createPageData(serving: Serving, contracts: readonly Route[]): PageData {
  const routes = new Map(contracts.map(route => [route.id, route]))
  return (request, name) => {
    const { ctx } = serving
    const sender = readSender(request.raw, ctx.proxies)
    if (sender.sessionHash === null || !isPageNavigation(request.raw)) return null
    const calls = firstCallsOf(name, searchOf(request)).flatMap((call): PageCall[] => {
      const route = routes.get(call.routeId)
      return route ? [{ call, route }] : []
    })
    return calls.length === 0 ? null : collect(serving, calls, sender, request.raw)
  }
}

/** False for frames and for requests of a service worker. Browsers that do not send these headers count as opening a page. */
const isPageNavigation = ({ headers }: IncomingMessage) =>
  (headers['sec-fetch-dest'] ?? 'document') === 'document' && (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate'

async function collect(serving: Serving, calls: readonly PageCall[], sender: Sender, raw: IncomingMessage): Promise<Uint8Array> {
  let isLate = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(
      () => {
        isLate = true
        resolve(null)
      },
      (serving.limits ?? LIMITS).timeoutMs,
    )
  })
  const isGone = () => isLate || raw.socket.destroyed
  const answers = await Promise.all(calls.map(one => Promise.race([callRoute(serving, one, sender, isGone), late])))
  clearTimeout(timer)
  return Buffer.concat(answers.filter(answer => answer !== null))
}

/** Returns null if the call does not succeed. */
async function callRoute({ ctx, callers }: Serving, { call, route }: PageCall, sender: Sender, isGone: () => boolean) {
  const requestId = randomUUID()
  try {
    const { routeId, params, search, body } = call
    const contentType = body === null ? null : 'application/json'
    const path = { routeId, params, search, contentType, sender, requestId }
    // Always a read, even if the route's method is POST. The headers of the page request do not apply to it.
    const request = { method: 'GET', headers: {} }
    const { session: _session, ...caller } = await callers.identify(route, request, path)
    if (caller.actor === null) return null
    const given = { ...path, ...caller, body: body === null ? null : new TextEncoder().encode(body) }
    const { call: made, reply } = await callers.dispatchConfirmed(route, request, given, isGone)
    const isFit = reply.status === route.status && reply.body !== null && reply.body.byteLength <= ANSWER_BYTES_MAX
    return isFit && reply.body && made.actor ? toElement(call.key, made.actor.id, reply.body) : null
  } catch (error) {
    // Logs the error like that of any request, if it is a server error.
    toErrorReply(error, ctx.log, requestId)
    return null
  }
}

/** In JSON, `<` occurs only in strings. It is escaped, so that no string can close the element or open a comment. */
function toElement(key: string, userId: string, json: Uint8Array): Buffer {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  const text = bytes.includes('<') ? Buffer.from(bytes.toString().replaceAll('<', '\\u003c')) : bytes
  const head = `<script type="application/json" data-user="${userId}" data-call="${toAttribute(key)}">`
  return Buffer.concat([Buffer.from(head), text, Buffer.from('</script>')])
}

const toAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
