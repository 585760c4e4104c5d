import { afterAll, describe, expect, test } from 'vitest'
import { CSRF, openBrowsers, PASSWORD } from './testing/browsers.ts'

const { aPerson, close, cookieOf, send, signIn } = await openBrowsers()
afterAll(close)

describe('changing the password', () => {
  const change = (cookie: string, body: object) => send('PUT /me/password', { headers: { cookie, ...CSRF }, body })

  test('needs the current one, and a new one as long as any', async () => {
    const username = await aPerson()
    const cookie = await cookieOf(username)
    const wrong = await change(cookie, { current_password: 'a guess', new_password: 'another one' })
    expect([wrong.status, wrong.body]).toEqual([422, { detail: 'at current_password: This is not your password' }])
    const short = await change(cookie, { current_password: PASSWORD, new_password: '1234567' })
    expect(short.body.detail.params.errors).toMatchObject([{ type: 'string_too_short', loc: ['body', 'new_password'] }])
    expect((await signIn(username)).status).toBe(201)
  })
})
