import type { User } from '@postil/domain/users'
import { afterAll, describe, expect, test } from 'vitest'
import { openTestApp } from '../../testing/app.ts'
import { openTestContext } from '../../testing/context.ts'
import { createFirstOwner } from '../users/create-first-owner.ts'
import { CSRF, openBrowsers, PASSWORD } from './testing/browsers.ts'

const { aPerson, age, app, close, cookieOf, ctx, me, send, sessionsOf, signIn } = await openBrowsers()
afterAll(close)

const countSessions = async () => (await ctx.db.sql.all('select id from sessions')).length

describe('a session', () => {
  test.each([
    { headers: { 'sec-fetch-site': 'same-origin' }, status: 200 },
    { headers: { 'sec-fetch-site': 'none' }, status: 200 },
    { headers: { 'sec-fetch-site': 'same-site' }, status: 403 },
    { headers: { 'sec-fetch-site': 'cross-site' }, status: 403 },
    { headers: { origin: 'http://localhost:80' }, status: 200 }, // the default origin of `inject`
    { headers: { origin: 'https://evil.example' }, status: 403 },
    { headers: { origin: 'null' }, status: 403 },
    { headers: { 'x-postil-csrf': '' }, status: 403 },
  ])('that changes something with $headers: $status', async ({ headers, status }) => {
    const cookie = await cookieOf(await aPerson())
    expect((await send('POST /me/api-key', { headers: { cookie, host: 'localhost', ...CSRF, ...headers } })).status).toBe(status)
  })

  test.each([
    { destination: 'empty', status: 200 },
    { destination: 'document', status: 200 },
    { destination: 'image', status: 403 },
    { destination: 'video', status: 403 },
    { destination: 'iframe', status: 403 },
    { destination: 'script', status: 403 },
  ])('that reads for what a browser calls $destination: $status', async ({ destination, status }) => {
    const cookie = await cookieOf(await aPerson())
    expect((await me(cookie, { 'sec-fetch-dest': destination })).status).toBe(status)
  })

  test('is the fallback for a wrong API key, but not for a wrong token', async () => {
    const [first, second] = [await aPerson(), await aPerson()]
    const cookie = await cookieOf(first)
    const other = (await signIn(second)).body as User
    expect((await me(cookie, { 'x-argilla-api-key': other.api_key ?? '' })).body.username).toBe(second)
    expect((await me(cookie, { 'x-argilla-api-key': 'wrong' })).body.username).toBe(first)
    expect((await me(cookie, { authorization: 'Bearer wrong' })).status).toBe(401)
    // An API key needs no CSRF protection, because browsers never send one automatically.
    const headers = { cookie, 'x-argilla-api-key': other.api_key ?? '' }
    expect((await send('POST /me/api-key', { headers })).status).toBe(200)
  })

  test('that was never opened, or is malformed, opens nothing', async () => {
    for (const value of ['x'.repeat(43), 'x', '', "' or '1'='1", '%00']) {
      expect((await me(`postil_session=${value}`)).status).toBe(401)
    }
  })

  test('ends with signing out, which also goes without one', async () => {
    const cookie = await cookieOf(await aPerson())
    const answer = await send('DELETE /session', { headers: { cookie } })
    expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([
      204,
      '',
      'postil_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0',
    ])
    expect((await me(cookie)).status).toBe(401)
    expect((await send('DELETE /session')).status).toBe(204)
    expect((await send('DELETE /session', { headers: { cookie } })).status).toBe(204)
  })

  test('expires when it is not used', async () => {
    const cookie = await cookieOf(await aPerson())
    await age(cookie, 1_209_600 - 60)
    expect((await me(cookie)).status).toBe(200)
    const late = await cookieOf(await aPerson())
    await age(late, 1_209_600 + 1)
    expect((await me(late)).status).toBe(401)
  })

  test('lasts longer when it is used, which is noted every few minutes only', async () => {
    const cookie = await cookieOf(await aPerson())
    const [fresh] = await sessionsOf(cookie)
    expect((await me(cookie)).headers['set-cookie']).toBeUndefined()
    await age(cookie, 290)
    expect((await me(cookie)).headers['set-cookie']).toBeUndefined()

    await age(cookie, 20)
    const answer = await me(cookie)
    expect(answer.headers['set-cookie']).toBe(`${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=1209600`)
    await expect
      .poll(async () => (await sessionsOf(cookie))[0]?.expires_at ?? '')
      .toSatisfy((time: string) => time > (fresh?.expires_at ?? ''))
    expect((await me(cookie)).headers['set-cookie']).toBeUndefined()
  })

  test('that expired is removed when somebody signs in', async () => {
    const late = await cookieOf(await aPerson())
    await age(late, 1_209_600 + 1)
    const before = await countSessions()
    await cookieOf(await aPerson())
    expect(await countSessions()).toBe(before)
  })

  test('is kept below the base URL, for as long as it is set', async () => {
    const other = await openTestContext({ SERVICE_BASE_URL: '/annotation/', SERVICE_SESSION_SECONDS: '60' })
    await createFirstOwner(other, { username: 'lena', password: PASSWORD, apiKey: null, workspace: null })
    const below = openTestApp(other)
    const answer = await below.inject({
      method: 'POST',
      url: '/annotation/api/v1/session',
      payload: { username: 'lena', password: PASSWORD },
    })
    expect(String(answer.headers['set-cookie'])).toMatch(
      /; Path=\/annotation\/; Max-Age=60,.*; Path=\/annotation\/; Max-Age=34560000$/,
    )
    await below.close()
    await other.close()
  })
})

describe('the sessions of a user', () => {
  test('are listed, last seen first, with the current one marked', async () => {
    const username = await aPerson()
    await cookieOf(username, { 'user-agent': 'A browser' })
    const cookie = await cookieOf(username, { 'user-agent': 'x'.repeat(300) })
    const items = await sessionsOf(cookie)
    expect(items.map(({ user_agent, current }) => ({ user_agent, current }))).toEqual([
      { user_agent: 'x'.repeat(200), current: true },
      { user_agent: 'A browser', current: false },
    ])
    expect(Object.keys(items[0] ?? {})).toEqual(['id', 'user_agent', 'inserted_at', 'last_seen_at', 'expires_at', 'current'])
  })

  test('are ended one by one by their user, and by nobody else', async () => {
    const username = await aPerson()
    const [first, second] = [await cookieOf(username), await cookieOf(username)]
    const stranger = await cookieOf(await aPerson())
    const id = (await sessionsOf(first)).find(session => session.current)?.id
    const end = (cookie: string) => send(`DELETE /me/sessions/${id}`, { headers: { cookie, ...CSRF } })
    expect((await end(stranger)).status).toBe(404)
    expect((await me(first)).status).toBe(200)
    expect((await end(second)).status).toBe(204)
    expect((await end(second)).status).toBe(404)
    expect([(await me(first)).status, (await me(second)).status]).toEqual([401, 200])
  })
})

test('what the writer is asked for cannot be called from outside', async () => {
  for (const url of [
    '/',
    '/openSession',
    '/keepSession',
    '/storePassword',
    '/insertUser',
    '/changeUser',
    '/startBulkJob',
    '/api/v1/openSession',
  ]) {
    expect((await app.inject({ method: 'POST', url, payload: { user_id: ctx.newId() } })).statusCode).toBe(404)
  }
})
