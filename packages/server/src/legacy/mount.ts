/** Finds the legacy route of a request. Its paths contain colons and query texts, which Fastify's router cannot distinguish. */
import type { Route } from '@postil/domain/api/route'
import { LEGACY_CONTRACTS } from '@postil/domain/legacy/api'
import { toPathPattern } from '@postil/domain/legacy/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonReply, type Reply } from '../http/call.ts'
import { NOT_FOUND } from '../http/errors.ts'
import { methodNotAllowed, pathOf, routedMethods, searchOf } from '../http/request-checks.ts'

interface MountOptions {
  answer(contract: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  send(reply: FastifyReply, answered: Reply): FastifyReply
}

/** `*` matches any rest of the path. */
const ROOTS = ['/me', '/_info', '/_status', '/security/token', '/users', '/users/*', '/workspaces', '/workspaces/*']
const DATASET_ROOTS = ['/datasets', '/datasets/*', '/dataset/*']

export function mountLegacy(app: FastifyInstance, base: string, { answer, send }: MountOptions): void {
  const patterns = LEGACY_CONTRACTS.flatMap(contract => contract.paths.map(path => ({ contract, pattern: toPathPattern(path) })))
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    const path = decodePath(pathOf(request).slice(base.length))
    const matches = patterns.flatMap(({ contract, pattern }) => {
      const match = pattern.exec(path)
      return match ? [{ contract, params: { ...match.groups } }] : []
    })
    const found = matches.find(({ contract }) => contract.method === request.method)
    if (!found) {
      const allowed = new Set(matches.map(({ contract }) => contract.method))
      return send(reply, allowed.size > 0 ? methodNotAllowed([...allowed]) : jsonReply(404, NOT_FOUND))
    }
    request.params = { ...found.params, ...toPlace(request, found.params) }
    return answer(found.contract, request, reply)
  }
  for (const root of [...ROOTS, ...DATASET_ROOTS]) {
    app.route({ method: routedMethods(app), url: `${base}/api${root}`, config: { operation: 'legacy' }, handler })
  }
}

/** Returns an empty string, which matches no route, if the path is not validly encoded. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return ''
    throw error
  }
}

/**
 * Returns the workspace of a dataset route: from an id such as `<workspace>.<name>`, from the query, or from the header, in this
 * order. Empty if none is given. Dataset names do not contain dots.
 */
function toPlace(request: FastifyRequest, { name }: Record<string, string>): { workspace: string; name?: string } {
  const dot = name?.lastIndexOf('.') ?? -1
  if (name !== undefined && dot > 0) return { workspace: name.slice(0, dot), name: name.slice(dot + 1) }
  const header = request.headers['x-argilla-workspace']
  const given = new URLSearchParams(searchOf(request)).get('workspace') ?? (Array.isArray(header) ? header[0] : header)
  return { workspace: given ?? '' }
}
