/** Sign-in with a cookie, over HTTP and across the server's threads. */
import type { Session, User } from '@postil/domain/users'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectForbidden, expectRefused, expectUnauthorized } from './answers.ts'
import { anAddress, aUser, caller, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const PASSWORD = 'a long password'
const CSRF = { 'x-postil-csrf': '1' }
const aPerson = () => aUser(world.server.url, world.owner, 'annotator')

const signIn = (username: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  world.nobody.send<User>('POST /session', { username, password }, headers)

/** A browser with a signed-in user. */
async function aBrowser(username: string) {
  const signedIn = await signIn(username)
  expect(signedIn.status).toBe(201)
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const send = <T>(request: string, body?: unknown, headers: Record<string, string> = CSRF) =>
    world.nobody.send<T>(request, body, { cookie, ...headers })
  return { cookie, send, user: signedIn.body }
}

describe('a session', () => {
  test('opens with the right pair, and speaks for its user', async () => {
    const { username } = await aPerson()
    const browser = await aBrowser(username)
    expect((await browser.send('GET /me')).body).toEqual(browser.user)
    expect((await browser.send<{ items: Session[] }>('GET /me/sessions')).body.items).toMatchObject([{ current: true }])
    expect((await browser.send('DELETE /session')).status).toBe(204)
    expectUnauthorized(await browser.send('GET /me'))
  })

  test('is refused like a token: a wrong password and an unknown name alike', async () => {
    const wrong = await signIn((await aPerson()).username, 'something else')
    expectUnauthorized(wrong)
    expect((await signIn('nobody at all')).text).toBe(wrong.text)
    const token = await world.nobody.send('POST /token', new URLSearchParams({ username: 'nobody at all', password: PASSWORD }))
    expect(token.text).toBe(wrong.text)
  })

  test('changes nothing without the header, or for a page of another origin', async () => {
    const browser = await aBrowser((await aPerson()).username)
    const change = (headers: Record<string, string>) => browser.send('POST /me/api-key', undefined, headers)
    expectForbidden(await change({}))
    expectForbidden(await change({ ...CSRF, origin: 'https://evil.example' }))
    expectForbidden(await change({ ...CSRF, origin: 'null' }))
    expectForbidden(await change({ ...CSRF, origin: world.server.url, 'sec-fetch-site': 'cross-site' }))
    expect((await browser.send('GET /me')).body).toEqual(browser.user)
    expect((await change({ ...CSRF, origin: world.server.url })).status).toBe(200)
  })

  test('works on every thread, and ends on all of them', async () => {
    const browser = await aBrowser((await aPerson()).username)
    const other = await aBrowser(browser.user.username)
    const ask = () => Promise.all(['GET /me', 'GET /me/datasets', 'GET /me/sessions'].map(request => other.send(request)))
    expect((await ask()).map(({ status }) => status)).toEqual([200, 200, 200])
    const body = { current_password: PASSWORD, new_password: 'another password' }
    expect((await browser.send('PUT /me/password', body)).status).toBe(204)
    for (const answer of await ask()) expectUnauthorized(answer)
    expect((await browser.send('GET /me')).status).toBe(200)
  })

  test('does not bypass permissions', async () => {
    const browser = await aBrowser((await aPerson()).username)
    expectForbidden(await browser.send('GET /users'))
    expectForbidden(await browser.send('POST /workspaces', { name: 'mine' }))
  })

  test('is never shared with pages of any origin', async () => {
    const browser = await aBrowser((await aPerson()).username)
    const answer = await browser.send('GET /me', undefined, { origin: 'https://evil.example' })
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('POST /session', () => {
  test('is slowed down after ten wrong passwords, and still lets the right one in', async () => {
    const { username } = await aPerson()
    const from = { 'x-forwarded-for': anAddress() }
    for (let i = 0; i < 10; i++) expectUnauthorized(await signIn(username, `guess ${i}`, from))
    const guesses = Array.from({ length: 30 }, () => signIn(username, 'one more', from))
    const refused = await Promise.any(
      guesses.map(async guess => {
        const answer = await guess
        expect(answer.status).toBe(429)
        return answer
      }),
    )
    expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/)
    expect(refused.body).toEqual({ detail: expect.stringMatching(/seconds/) })
    for (const { status } of await Promise.all(guesses)) expect([401, 429]).toContain(status)
    expect((await signIn(username, PASSWORD, from)).status).toBe(201)
  })

  test('gives the browser a cookie that outlives the session', async () => {
    const { username } = await aPerson()
    const names = (await signIn(username)).headers.getSetCookie().map(cookie => cookie.split('=')[0])
    expect(names).toEqual(['postil_session', 'postil_device'])
    const browser = await aBrowser(username)
    const ended = (await browser.send('DELETE /session')).headers.getSetCookie()
    expect(ended).toEqual([expect.stringMatching(/^postil_session=; .*Max-Age=0/)])
  })

  test('takes a small body only', async () => {
    expect((await signIn('x'.repeat(70_000))).status).toBe(413)
  })
})

describe('PUT /me/password', () => {
  test('says what is wrong with the current one, and takes a key too', async () => {
    const user = await aPerson()
    expectRefused(await user.send('PUT /me/password', { current_password: 'a guess', new_password: PASSWORD }))
    const body = { current_password: PASSWORD, new_password: 'another password' }
    expect((await user.send('PUT /me/password', body)).status).toBe(204)
    expect((await signIn(user.username, 'another password')).status).toBe(201)
  })
})

describe('POST /me/api-key', () => {
  test('ends the old key at once', async () => {
    const user = await aPerson()
    const old = user.key
    const { api_key } = await user.done<User>('POST /api/v1/me/api-key')
    expect(api_key).toMatch(/^[A-Za-z0-9_-]{107}$/)
    expectUnauthorized(await caller(world.server.url, old).send('GET /me'))
    expect(await user.done('GET /me')).toMatchObject({ api_key })
  })
})
