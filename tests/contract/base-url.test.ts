/** A server below a path of its own, for one origin only. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../server.ts'
import { expectRefused } from './answers.ts'
import { caller } from './http.ts'

const ORIGIN = 'https://ui.example'
let server: StartedServer
let origin: string
beforeAll(async () => {
  server = await startServer({ env: { SERVICE_BASE_URL: '/annotation/', SERVICE_CORS_ORIGINS: JSON.stringify([ORIGIN]) } })
  origin = new URL(server.url).origin
})
afterAll(() => server?.close())

const below = () => caller(`${origin}/annotation`, server.apiKey)
const outside = () => caller(origin, server.apiKey)

test('answers below its base URL and nowhere else', async () => {
  expect(await below().done('GET /me')).toMatchObject({ username: 'owner' })
  const answer = await outside().send('GET /me')
  expectRefused(answer, 404)
  expect(answer.body).toEqual({ detail: 'Not Found' })
  expect(await below().send('GET /nothing')).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
  expect(await below().send('PUT /me')).toMatchObject({ status: 405 })
})

test('redirects below its base URL', async () => {
  const answer = await below().send('GET /me/')
  const location = new URL(answer.headers.get('location') ?? '', origin)
  expect([answer.status, location.pathname]).toEqual([307, '/annotation/api/v1/me'])
})

test('redirects its base URL without the slash to the one with it', async () => {
  const answer = await fetch(`${origin}/annotation`, { redirect: 'manual' })
  expect([answer.status, new URL(answer.headers.get('location') ?? '', origin).pathname]).toEqual([307, '/annotation/'])
})

test('describes itself below its base URL', async () => {
  const document = await below().done<{ paths: object; servers?: { url: string }[] }>('GET /openapi.json')
  const path = Object.keys(document.paths).find(name => name.endsWith('/me')) ?? ''
  const address = `${document.servers?.[0]?.url ?? ''}${path}`
  expect(new URL(address, origin).pathname).toBe('/annotation/api/v1/me')
})

test.each([
  { from: ORIGIN, allowed: ORIGIN, credentials: 'true' },
  { from: 'https://elsewhere.example', allowed: null, credentials: null },
  { from: 'null', allowed: null, credentials: null },
])('an origin $from is marked with $allowed', async ({ from, allowed, credentials }) => {
  const simple = await below().send('GET /version', undefined, { origin: from })
  expect(simple.headers.get('access-control-allow-origin')).toBe(allowed)
  expect(simple.headers.get('access-control-allow-credentials')).toBe(credentials)
  if (allowed !== null) expect(simple.headers.get('vary')).toMatch(/\bOrigin\b/i)

  const asked = { origin: from, 'access-control-request-method': 'GET' }
  const preflight = await below().send('OPTIONS /me', undefined, asked)
  expect(preflight.headers.get('access-control-allow-origin')).toBe(allowed)
})
