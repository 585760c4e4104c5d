import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'

/**
 * Answers preflight requests and sets CORS headers for the configured origins. Credentials are never allowed together with `*`,
 * because any site could then use a visitor's session.
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  const any = origins.includes('*')
  app.addHook('onRequest', (request, reply, done) => {
    const origin = request.headers.origin
    if (origin === undefined || (!any && !origins.includes(origin))) return done()
    allowOrigin(reply, any ? '*' : origin)
    if (!isPreflight(request)) return done()
    preflight(request, reply)
  })
}

const isPreflight = (request: FastifyRequest) =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined

function allowOrigin(reply: FastifyReply, origin: string) {
  reply.header('access-control-allow-origin', origin)
  if (origin === '*') return
  reply.header('access-control-allow-credentials', 'true')
  reply.header('vary', 'Origin')
}

function preflight(request: FastifyRequest, reply: FastifyReply) {
  const headers = request.headers['access-control-request-headers']
  if (headers !== undefined) reply.header('access-control-allow-headers', headers)
  return reply
    .header('access-control-allow-methods', METHODS)
    .header('access-control-max-age', '600')
    .type('text/plain')
    .send('OK')
}
