/** A server with a base path, a single allowed origin and short sessions. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../server.ts'
import { expectRefused, expectUnauthorized } from './answers.ts'
import { caller } from './http.ts'

const ORIGIN = 'https://ui.example'
let server: StartedServer
let origin: string
beforeAll(async () => {
  const cors = { SERVICE_CORS_ORIGINS: JSON.stringify([ORIGIN]) }
  server = await startServer({ env: { SERVICE_BASE_URL: '/annotation/', SERVICE_SESSION_SECONDS: '4', ...cors } })
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

test('a session belongs to its base URL, lasts while it is used and ends when it is not', async () => {
  const nobody = caller(`${origin}/annotation`, null)
  const signedIn = await nobody.send('POST /session', { username: server.username, password: server.password })
  const [given = '', device] = signedIn.headers.getSetCookie()
  expect(device).toContain('; Path=/annotation/; ')
  expect(given).toMatch(/; Path=\/annotation\/; Max-Age=4$/)
  const cookie = given.split(';')[0] ?? ''
  const me = () => nobody.send('GET /me', undefined, { cookie })
  let renewed = 0
  for (const until = Date.now() + 6_000; Date.now() < until; await pause(250)) {
    const answer = await me()
    expect(answer.status).toBe(200)
    if (answer.headers.get('set-cookie') === given) renewed++
  }
  expect(renewed).toBeGreaterThan(3)
  await pause(4_500)
  expectUnauthorized(await me())
})

test('serves the web UI below its base URL only', async () => {
  const statusOf = async (path: string) => (await fetch(origin + path)).status
  // 200 if the web UI is built, 503 if not.
  expect([200, 503]).toContain(await statusOf('/annotation/sign-in'))
  expect([await statusOf('/sign-in'), await statusOf('/annotation/missing.js')]).toEqual([404, 404])
})
