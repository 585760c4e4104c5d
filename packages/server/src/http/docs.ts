/** The API description as JSON (`openapi.json`) and as pages (`docs`, `redoc`). No authentication required. */

import { toOpenApi } from '@postil/domain/api/openapi'
import type { Route } from '@postil/domain/api/route'
import type { FastifyInstance } from 'fastify'
import { API_VERSION } from '../version.ts'
import { docsPage } from './docs-page.ts'

export function addDocs(app: FastifyInstance, base: string, contracts: readonly Route[]): string[] {
  // Created on the first request, so that it does not slow down the start.
  const openapi = once(() => describe(base, contracts))
  // Serialized only once, because it is long and repeated requests must not block this thread.
  const text = once(() => JSON.stringify(openapi()))
  const page = once(() => docsPage(openapi()))
  app.get(`${base}/api/v1/openapi.json`, (_request, reply) => reply.type('application/json').send(text()))
  for (const path of ['docs', 'redoc']) {
    app.get(`${base}/api/v1/${path}`, (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', page().csp).send(page().html),
    )
  }
  return ['openapi.json', 'docs', 'redoc'].map(path => `/api/v1/${path}`)
}

function describe(base: string, contracts: readonly Route[]) {
  const document = toOpenApi(contracts, {
    title: 'Postil',
    version: API_VERSION,
    description:
      'Collect human feedback on data: datasets, records, questions, suggestions and responses. ' +
      'A request may name its user in the header `X-Postil-User` (an id). If the credentials are those of another user, ' +
      'it is refused with status 409 and the code `wrong_user`, before anything is done.',
  })
  return { ...document, servers: [{ url: base === '' ? '/' : base }] }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
