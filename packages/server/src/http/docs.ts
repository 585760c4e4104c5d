/** The description of the API, for programs (`openapi.json`) and for people (`docs`, `redoc`). Open to all. */

import { toOpenApi } from '@postil/domain/api/openapi'
import type { Route } from '@postil/domain/api/route'
import type { FastifyInstance } from 'fastify'
import { API_VERSION } from '../version.ts'
import { docsPage } from './docs-page.ts'

export function addDocs(app: FastifyInstance, base: string, contracts: readonly Route[]): string[] {
  const document = toOpenApi(contracts, {
    title: 'Postil',
    version: API_VERSION,
    description: 'Collect human feedback on data: datasets, records, questions, suggestions and responses.',
  })
  const openapi = JSON.stringify({ ...document, servers: [{ url: base === '' ? '/' : base }] })
  const { html, csp } = docsPage(document)
  app.get(`${base}/api/v1/openapi.json`, (_request, reply) => reply.type('application/json').send(openapi))
  for (const path of ['docs', 'redoc']) {
    app.get(`${base}/api/v1/${path}`, (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', csp).send(html),
    )
  }
  return ['openapi.json', 'docs', 'redoc'].map(path => `/api/v1/${path}`)
}
