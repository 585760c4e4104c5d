/** Checks of path, host and method before routing, and the replies to requests that fail them. */
import type { IncomingMessage } from 'node:http'
import { DomainError } from '@postil/domain/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { jsonReply, type Reply } from './call.ts'
import { METHOD_NOT_ALLOWED, NOT_FOUND, TWO_HOSTS, toErrorReply } from './errors.ts'

/** Longest path below the base URL, in characters as sent. Paths of the API and pages of the web UI are much shorter. */
const PATH_LENGTH_MAX = 2_048

export const pathOf = ({ raw: { url = '' } }: FastifyRequest) => url.split('?', 1)[0] ?? ''

/** Returns everything after the first question mark; further ones belong to values. */
export function searchOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** Returns the reply if the path is too long or the host is ambiguous, otherwise null. */
export function refusalOf(request: FastifyRequest, { config, log }: Pick<Context, 'config' | 'log'>): Reply | null {
  if (pathOf(request).length >= PATH_LENGTH_MAX + config.baseUrl.length) {
    const error = new DomainError('path_too_long', `The path is longer than ${PATH_LENGTH_MAX} characters`)
    return { ...toErrorReply(error, log, request.id), close: true }
  }
  return countHosts(request.raw) > 1 ? { ...jsonReply(400, TWO_HOSTS), close: true } : null
}

/** Node uses the first Host header, but a proxy may have used another one. */
function countHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++
  return hosts
}

type MethodsByPath = ReadonlyMap<string, readonly string[]>

interface PathChecks {
  base: string
  /** Methods by path of the contract. */
  methodsByPath: MethodsByPath
  send: (reply: FastifyReply, answered: Reply) => FastifyReply
}

export const methodNotAllowed = (allowed: readonly string[]): Reply => ({
  ...jsonReply(405, METHOD_NOT_ALLOWED),
  headers: { allow: allowed.join(', ') },
})

/** Returns the methods of a path as sent, or undefined if the API does not have this path. */
export type MethodsOf = (path: string) => readonly string[] | undefined

/**
 * Responds to methods that Fastify does not route, and redirects paths with trailing slashes. Routes for the methods that a path
 * does not have would be most of all routes, and take most of the time of the start.
 */
export function addPathChecks(app: FastifyInstance, { base, methodsByPath, send }: PathChecks): MethodsOf {
  const known = Array.from(methodsByPath, ([path, methods]) => ({ pattern: toPattern(base + path), methods }))
  const methodsOf: MethodsOf = path => {
    const decoded = decodePath(path)
    return known.find(({ pattern }) => pattern.test(decoded))?.methods
  }
  const routed = routedMethods(app)

  app.addHook('onRequest', (request, reply, done) => {
    const path = pathOf(request)
    if (!routed.includes(request.method)) {
      const allowed = methodsOf(path)
      return void send(reply, allowed ? methodNotAllowed(allowed) : jsonReply(404, NOT_FOUND))
    }
    if (!path.endsWith('/')) return done()
    const trimmed = withoutSlashes(path)
    // Redirects only to known paths. All of them begin with the base URL, so that no redirect leads to another host.
    if (!methodsOf(trimmed)?.includes(request.method)) return done()
    const search = searchOf(request)
    reply.redirect(search === '' ? trimmed : `${trimmed}?${search}`, 307)
  })
  if (base !== '') app.get(base, (_request, reply) => reply.redirect(`${base}/`, 307))
  return methodsOf
}

/** As the router reads it: an encoded letter counts as the letter, an encoded slash separates nothing. */
function decodePath(path: string): string {
  try {
    return decodeURI(path)
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

/** Fastify responds to QUERY without a content type with its own error. */
export const routedMethods = (app: FastifyInstance) => app.supportedMethods.filter(method => method !== 'QUERY')

/** Not a regular expression: the time of `/\/+$/` grows quadratically with the number of slashes. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Converts `/datasets/:dataset_id` into a regular expression; contract paths contain no other special characters. */
const toPattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)
