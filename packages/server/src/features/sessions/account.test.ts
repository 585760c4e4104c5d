import type { User } from '@postil/domain/users'
import { afterAll, describe, expect, test } from 'vitest'
import { CSRF, openBrowsers, PASSWORD } from './testing/browsers.ts'

const { aPerson, close, cookieOf, me, send, signIn } = await openBrowsers()
afterAll(close)

describe('changing the password', () => {
  const change = (cookie: string, body: object) => send('PUT /me/password', { headers: { cookie, ...CSRF }, body })

  test('ends all other sessions', async () => {
    const username = await aPerson()
    const [mine, other, stranger] = [await cookieOf(username), await cookieOf(username), await cookieOf(await aPerson())]
    const answer = await change(mine, { current_password: PASSWORD, new_password: 'another one' })
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect([(await me(mine)).status, (await me(other)).status, (await me(stranger)).status]).toEqual([200, 401, 200])
    expect((await signIn(username)).status).toBe(401)
    expect((await signIn(username, { password: 'another one' })).status).toBe(201)
  })

  test('needs the current one, and a new one as long as any', async () => {
    const username = await aPerson()
    const cookie = await cookieOf(username)
    const wrong = await change(cookie, { current_password: 'a guess', new_password: 'another one' })
    expect([wrong.status, wrong.body]).toEqual([422, { detail: 'at current_password: This is not your password' }])
    const short = await change(cookie, { current_password: PASSWORD, new_password: '1234567' })
    expect(short.body.detail.params.errors).toMatchObject([{ type: 'string_too_short', loc: ['body', 'new_password'] }])
    expect((await signIn(username)).status).toBe(201)
  })

  test('by an owner ends the sessions of that user', async () => {
    const [owner, user] = [await cookieOf(await aPerson()), await cookieOf(await aPerson())]
    const { id } = (await me(user)).body
    const patch = (body: object) => send(`PATCH /users/${id}`, { headers: { cookie: owner, ...CSRF }, body })
    expect((await patch({ first_name: 'Nadia' })).status).toBe(200)
    expect((await me(user)).status).toBe(200)
    expect((await patch({ password: 'another one' })).status).toBe(200)
    expect([(await me(user)).status, (await me(owner)).status]).toEqual([401, 200])
  })
})

test('a new API key ends the old one and leaves sessions alone', async () => {
  const username = await aPerson()
  const cookie = await cookieOf(username)
  const before = (await me(cookie)).body as User
  const answer = await send('POST /me/api-key', { headers: { cookie, ...CSRF } })
  const after = answer.body as User
  expect(after).toEqual({ ...before, api_key: expect.stringMatching(/^.{107}$/), updated_at: expect.any(String) })
  expect(after.api_key).not.toBe(before.api_key)
  const withKey = (key: string | null) => send('GET /me', { headers: { 'x-argilla-api-key': key ?? '' } })
  expect((await withKey(before.api_key)).status).toBe(401)
  expect((await withKey(after.api_key)).body).toEqual(after)
  expect((await me(cookie)).status).toBe(200)
})
