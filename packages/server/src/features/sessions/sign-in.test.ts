import { afterAll, describe, expect, test } from 'vitest'
import { CSRF, openBrowsers, PASSWORD } from './testing/browsers.ts'

const { aPerson, close, cookieOf, ctx, me, send, sessionsOf, signIn } = await openBrowsers()
afterAll(close)

describe('signing in', () => {
  test('answers the user and sets a cookie that no script can read', async () => {
    const username = await aPerson()
    const answer = await signIn(username)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ username, role: 'owner', api_key: expect.stringMatching(/^.{107}$/) })
    expect(answer.headers['set-cookie']).toMatch(
      /^postil_session=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=1209600$/,
    )
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('answers what /me answers', async () => {
    const username = await aPerson()
    const { body } = await signIn(username)
    expect((await me(await cookieOf(username))).body).toEqual(body)
  })

  test.each([
    { headers: { 'x-forwarded-proto': 'https' }, secure: true },
    { headers: { 'x-forwarded-proto': 'https,http' }, secure: true },
    { headers: { 'x-forwarded-proto': 'http' }, secure: false },
  ])('with $headers marks the cookie secure: $secure', async ({ headers, secure }) => {
    const cookie = String((await signIn(await aPerson(), { headers })).headers['set-cookie'])
    expect(cookie.endsWith('; Secure')).toBe(secure)
  })

  test('stores the hash of the secret only', async () => {
    const secret = (await cookieOf(await aPerson())).split('=')[1] ?? ''
    const rows = JSON.stringify(await ctx.db.sql.all('select * from sessions'))
    expect(rows).not.toContain(secret)
  })

  test('answers an unknown name and a wrong password alike', async () => {
    const wrong = await signIn(await aPerson(), { password: 'something else' })
    const unknown = await signIn('nobody at all')
    expect(wrong).toMatchObject({ status: 401, body: { detail: { code: 'argilla.api.errors::UnauthorizedError' } } })
    expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body])
    expect(wrong.headers['set-cookie']).toBeUndefined()
  })

  test.each([{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])(
    'and out is not for pages of another origin: %j',
    async headers => {
      const username = await aPerson()
      expect((await signIn(username, { headers })).status).toBe(403)
      const cookie = await cookieOf(username)
      expect((await send('DELETE /session', { headers: { cookie, ...headers } })).status).toBe(403)
      expect((await me(cookie)).status).toBe(200)
    },
  )

  test('ends the session this browser had before', async () => {
    const [first, second] = [await aPerson(), await aPerson()]
    const cookie = await cookieOf(first)
    await cookieOf(second, { cookie })
    expect((await me(cookie)).status).toBe(401)
  })

  test('keeps the hundred newest sessions of a user', async () => {
    const username = await aPerson()
    const oldest = await cookieOf(username)
    const [row] = await ctx.db.sql.all<{ user_id: string }>('select user_id from sessions order by inserted_at desc limit 1')
    const copies = Array.from({ length: 100 }, (_, i) => [
      `copy ${i}`,
      row?.user_id ?? '',
      `hash ${i}`,
      ctx.now(),
      ctx.now(),
      '9999',
    ])
    const columns = ['id', 'user_id', 'secret_hash', 'inserted_at', 'last_seen_at', 'expires_at']
    await ctx.db.sql.insertAll('sessions', columns, copies)
    const newest = await cookieOf(username)
    expect(await sessionsOf(newest)).toHaveLength(100)
    expect([(await me(oldest)).status, (await me(newest)).status]).toEqual([401, 200])
  })
})

describe('guessing', () => {
  test('is slowed down after ten wrong passwords, for this name only', async () => {
    const username = await aPerson()
    for (let i = 0; i < 10; i++) expect((await signIn(username, { password: `guess ${i}` })).status).toBe(401)
    const refused = await signIn(username)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-5]$/)])
    expect(refused.body).toEqual({ detail: expect.stringMatching(/^Too many attempts\. Try again in [1-5] seconds\.$/) })
    expect((await signIn(await aPerson())).status).toBe(201)
  })

  test('counts attempts at the same time, and right ones not at all', async () => {
    const username = await aPerson()
    for (let i = 0; i < 12; i++) expect((await signIn(username)).status).toBe(201)
    const attempts = Array.from({ length: 14 }, () => signIn(username, { password: 'a guess' }))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter(status => status === 429)).toHaveLength(4)
  })

  test('the current password is slowed down too', async () => {
    const cookie = await cookieOf(await aPerson())
    const change = () =>
      send('PUT /me/password', { headers: { cookie, ...CSRF }, body: { current_password: 'a guess', new_password: PASSWORD } })
    for (let i = 0; i < 10; i++) expect((await change()).status).toBe(422)
    expect((await change()).status).toBe(429)
  })
})
