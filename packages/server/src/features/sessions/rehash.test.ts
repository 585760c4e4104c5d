import { hashSync } from 'bcryptjs'
import { afterAll, describe, expect, test } from 'vitest'
import { findUserByUsername } from '../users/store.ts'
import { openBrowsers, PASSWORD } from './testing/browsers.ts'

const { aPerson, app, close, ctx, me, signIn } = await openBrowsers()
afterAll(close)

/** Creates a user whose password was hashed by another server. */
async function aPersonFromElsewhere() {
  const username = await aPerson()
  const hash = hashSync(PASSWORD, 4)
  await ctx.db.sql.run('update users set password_hash = ? where username = ?', [hash, username])
  return { username, before: await load(username) }
}

async function load(username: string) {
  const user = await findUserByUsername(ctx.db, username)
  if (!user) throw new Error(`${username} is gone`)
  return user
}

const token = (username: string, password: string, url = '/api/v1/token') =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username, password }).toString(),
  })

describe('a password that another server has hashed', () => {
  test('is hashed anew when its user signs in, which changes nothing else', async () => {
    const { username, before } = await aPersonFromElsewhere()
    expect((await signIn(username)).status).toBe(201)
    const after = await load(username)
    expect(after.password_hash).toMatch(/^\$argon2id\$/)
    expect(after).toEqual({ ...before, password_hash: after.password_hash })
    expect((await signIn(username)).status).toBe(201)
    expect((await load(username)).password_hash).toBe(after.password_hash)
  })

  test.each([
    { url: '/api/v1/token', status: 201 },
    { url: '/api/security/token', status: 200 },
  ])('is hashed anew by $url, and earlier tokens go on', async ({ url, status }) => {
    const { username, before } = await aPersonFromElsewhere()
    const answer = await token(username, PASSWORD, url)
    expect([answer.statusCode, answer.json()]).toEqual([status, { access_token: expect.any(String), token_type: 'bearer' }])
    const after = await load(username)
    expect(after.password_hash).toMatch(/^\$argon2id\$/)
    expect(after).toEqual({ ...before, password_hash: after.password_hash })
    expect((await me('', { authorization: `Bearer ${answer.json().access_token}` })).body.username).toBe(username)
    expect((await token(username, PASSWORD, url)).statusCode).toBe(status)
  })

  test('stays as it is when a wrong one is given', async () => {
    const { username, before } = await aPersonFromElsewhere()
    expect((await token(username, 'something else')).statusCode).toBe(401)
    expect(await load(username)).toEqual(before)
  })
})
