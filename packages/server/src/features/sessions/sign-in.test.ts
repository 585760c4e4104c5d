import { afterAll, describe, expect, test } from 'vitest'
import { TEST_SENDER } from '../../testing/context.ts'
import { openSession } from './open.ts'
import { CSRF, openBrowsers, PASSWORD } from './testing/browsers.ts'

const { aPerson, close, cookieOf, cookiesOf, ctx, held, me, send, sessionsOf, signIn } = await openBrowsers()
afterAll(close)

describe('signing in', () => {
  test('answers the user and sets cookies that no script can read', async () => {
    const username = await aPerson()
    const answer = await signIn(username)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ username, role: 'owner', api_key: expect.stringMatching(/^.{107}$/) })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^postil_session=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=1209600$/),
      expect.stringMatching(/^postil_device=[\w-]{22}\.[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=34560000$/),
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.each([
    { headers: { 'x-forwarded-proto': 'https' }, secure: true },
    { headers: { 'x-forwarded-proto': 'https,http' }, secure: true },
    { headers: { 'x-forwarded-proto': 'http' }, secure: false },
  ])('with $headers marks the cookies secure: $secure', async ({ headers, secure }) => {
    const cookies = [(await signIn(await aPerson(), { headers })).headers['set-cookie'] ?? []].flat()
    expect(cookies.map(cookie => cookie.endsWith('; Secure'))).toEqual([secure, secure])
  })

  test('stores the hash of the secret only', async () => {
    const secret = (await cookieOf(await aPerson())).split('=')[1] ?? ''
    const rows = JSON.stringify(await ctx.db.sql.all('select * from sessions'))
    expect(rows).not.toContain(secret)
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
  /** Returns how long an attempt was delayed. */
  async function heldBy(attempt: () => Promise<{ status: number }>, status: number): Promise<number> {
    const before = held.length
    expect((await attempt()).status).toBe(status)
    return held.slice(before).reduce((sum, ms) => sum + ms, 0)
  }
  const guess = (username: string, headers = {}) => signIn(username, { password: 'a guess', headers })

  test('is slowed down after ten wrong passwords, for this name only, and the right one still opens', async () => {
    const username = await aPerson()
    for (let i = 0; i < 10; i++) expect(await heldBy(() => guess(username), 401)).toBe(0)
    expect(await heldBy(() => guess(username), 401)).toBe(500)
    expect(await heldBy(() => guess(username), 401)).toBe(1_000)
    expect(await heldBy(() => signIn(username), 201)).toBe(1_500)
    expect(await heldBy(async () => signIn(await aPerson()), 201)).toBe(0)
  })

  test('does not slow down a browser that has signed in before, for its user only', async () => {
    const [username, other] = [await aPerson(), await aPerson()]
    const [, device] = await cookiesOf(username)
    for (let i = 0; i < 40; i++) await guess(username)
    expect(await heldBy(() => signIn(username), 201)).toBe(5_000)
    expect(await heldBy(() => signIn(username, { headers: { cookie: device } }), 201)).toBe(0)
    for (let i = 0; i < 10; i++) await guess(other)
    expect(await heldBy(() => signIn(other, { headers: { cookie: device } }), 201)).toBeGreaterThan(0)
  })

  test('with a device cookie is slowed down too, in a count of its own', async () => {
    const username = await aPerson()
    const [, device] = await cookiesOf(username)
    for (let i = 0; i < 10; i++) expect(await heldBy(() => guess(username, { cookie: device }), 401)).toBe(0)
    expect(await heldBy(() => guess(username, { cookie: device }), 401)).toBe(500)
  })

  test('a device cookie ends with the password, and a forged one is worth nothing', async () => {
    const username = await aPerson()
    const [session, device] = await cookiesOf(username)
    const body = { current_password: PASSWORD, new_password: PASSWORD }
    const answer = await send('PUT /me/password', { headers: { cookie: session, ...CSRF }, body })
    const renewed = String(answer.headers['set-cookie']).split(';')[0] ?? ''
    const [name = '', signature = ''] = renewed.split('.')
    for (let i = 0; i < 40; i++) await guess(username)
    const forged = [device, `${name}x`.slice(0, name.length), `${name}.${signature.replace(/.$/, 'x')}`, `postil_device=.`]
    for (const cookie of forged) {
      expect(await heldBy(() => signIn(username, { headers: { cookie } }), 201)).toBe(5_000)
    }
    expect(await heldBy(() => signIn(username, { headers: { cookie: renewed } }), 201)).toBe(0)
  })

  test('the current password is slowed down too, whatever others try', async () => {
    const username = await aPerson()
    const cookie = await cookieOf(username)
    for (let i = 0; i < 40; i++) await guess(username)
    const change = (current_password: string) =>
      send('PUT /me/password', { headers: { cookie, ...CSRF }, body: { current_password, new_password: PASSWORD } })
    for (let i = 0; i < 10; i++) expect(await heldBy(() => change('a guess'), 422)).toBe(0)
    expect(await heldBy(() => change('a guess'), 422)).toBe(500)
    expect(await heldBy(() => change(PASSWORD), 204)).toBe(1_000)
  })
})

describe('a password that is changed while somebody signs in with the old one', () => {
  test('lets nobody in', async () => {
    const username = await aPerson()
    const [row] = await ctx.db.sql.all<{ id: string; credentials_version: number }>(
      'select id, credentials_version from users where username = ?',
      [username],
    )
    const { id: user_id, credentials_version } = row as NonNullable<typeof row>
    await ctx.db.sql.run('update users set credentials_version = credentials_version + 1 where id = ?', [user_id])
    const opening = openSession({ ...ctx, requestId: 'test', sender: TEST_SENDER }, { user_id, credentials_version })
    await expect(opening).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
