/** Checks of the path, the host and the method that come before any route, and what is answered there. */
import type { IncomingMessage } from 'node:http'
import { DomainError } from '@postil/domain/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { jsonReply, type Reply } from './call.ts'
import { METHOD_NOT_ALLOWED, NOT_FOUND, TWO_HOSTS, toErrorReply } from './errors.ts'

/** Longest path below the base URL, in characters as sent. Paths of the API and pages of the web UI are much shorter. */
const PATH_LENGTH_MAX = 2_048

export const pathOf = ({ raw: { url = '' } }: FastifyRequest) => url.split('?', 1)[0] ?? ''

/** Everything after the first question mark: others belong to values. */
export function searchOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** The reply to a request whose path is too long or whose host is ambiguous; null for all others. */
export function refusalOf(request: FastifyRequest, { config, log }: Pick<Context, 'config' | 'log'>): Reply | null {
  if (pathOf(request).length >= PATH_LENGTH_MAX + config.baseUrl.length) {
    const error = new DomainError('path_too_long', `The path is longer than ${PATH_LENGTH_MAX} characters`)
    return { ...toErrorReply(error, log, request.id), close: true }
  }
  return countHosts(request.raw) > 1 ? { ...jsonReply(400, TWO_HOSTS), close: true } : null
}

/** Node uses the first Host header; a proxy in front may have used another one. */
function countHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++
  return hosts
}

type MethodsByPath = ReadonlyMap<string, readonly string[]>

interface KnownPaths {
  base: string
  /** Path of a contract -> the methods it has. */
  methodsByPath: MethodsByPath
  send: (reply: FastifyReply, answered: Reply) => FastifyReply
}

export const methodNotAllowed = (allowed: readonly string[]): Reply => ({
  ...jsonReply(405, METHOD_NOT_ALLOWED),
  headers: { allow: allowed.join(', ') },
})

/** Answers methods that the framework does not route, and redirects paths with trailing slashes. */
export function addPathChecks(app: FastifyInstance, { base, methodsByPath, send }: KnownPaths): void {
  const known = Array.from(methodsByPath, ([path, methods]) => ({ pattern: toPattern(base + path), methods }))
  const methodsOf = (path: string) => known.find(({ pattern }) => pattern.test(path))?.methods
  const routed = routedMethods(app)

  app.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request)
    if (!routed.includes(request.method)) {
      const allowed = methodsOf(path)
      return void send(reply, allowed ? methodNotAllowed(allowed) : jsonReply(404, NOT_FOUND))
    }
    if (!path.endsWith('/')) return done()
    const trimmed = withoutSlashes(path)
    // Only known paths are redirected to. All of them begin with the base URL, so that none leads to another host.
    if (!methodsOf(trimmed)?.includes(request.method)) return done()
    const search = searchOf(request)
    reply.redirect(search === '' ? trimmed : `${trimmed}?${search}`, 307)
  })
  if (base !== '') app.get(base, (_request, reply) => reply.redirect(`${base}/`, 307))
}

/** The framework answers QUERY without a content type by itself, as an error. */
export const routedMethods = (app: FastifyInstance) => app.supportedMethods.filter(method => method !== 'QUERY')

/** Not by a regular expression: `/\/+$/` takes time that grows with the square of the number of slashes. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** `/datasets/:dataset_id` as a regular expression; paths of contracts contain no other special characters. */
const toPattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)
