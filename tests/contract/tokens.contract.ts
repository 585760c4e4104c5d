/** Sign-in, and the contents and lifetime of tokens. */
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectUnauthorized } from './answers.ts'
import { anAddress, aUser, caller, fresh, sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Token = { access_token: string; token_type: string }
const PASSWORD = 'a long password'

const signIn = (body: unknown) => world.nobody.send<Token>('POST /token', body)
const tokenOf = async (username: string, password = PASSWORD) => {
  const answer = await signIn(new URLSearchParams({ username, password }))
  expect(answer.status).toBe(201)
  return answer.body.access_token
}
const withToken = (token: string, scheme = 'Bearer') =>
  world.nobody.send<{ username: string; role: string }>('GET /me', undefined, { authorization: `${scheme} ${token}` })
const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('POST /token', () => {
  test('takes a form of either kind', async () => {
    const { username, password } = world.server
    const multipart = new FormData()
    for (const [key, value] of Object.entries({ username, password })) multipart.set(key, value)
    for (const form of [new URLSearchParams({ username, password }), multipart]) {
      const answer = await signIn(form)
      expect([answer.status, answer.body]).toEqual([201, { access_token: expect.any(String), token_type: 'bearer' }])
    }
  })

  test('takes no JSON', async () => {
    const { username, password } = world.server
    expectProblems(await signIn({ username, password }), [
      ['missing', 'body', 'username'],
      ['missing', 'body', 'password'],
    ])
  })

  test('does not tell an unknown user from a wrong password', async () => {
    const unknown = await signIn(new URLSearchParams({ username: 'nobody at all', password: PASSWORD }))
    const wrong = await signIn(new URLSearchParams({ username: world.server.username, password: PASSWORD }))
    expectUnauthorized(unknown)
    expectUnauthorized(wrong)
    expect(wrong.text).toBe(unknown.text)
  })

  test('is slowed down after ten wrong passwords, whichever way they were tried, and still lets the right one in', async () => {
    const { username } = await aUser(world.server.url, world.owner, 'annotator')
    const guess = { username, password: 'a guess' }
    const from = { 'x-forwarded-for': anAddress() }
    const byForm = (form: Record<string, string>) => world.nobody.send('POST /token', new URLSearchParams(form), from)
    for (let i = 0; i < 5; i++) {
      expectUnauthorized(await byForm(guess))
      expectUnauthorized(await world.nobody.send('POST /session', guess, from))
    }
    const answers = await Promise.all(Array.from({ length: 30 }, () => byForm(guess)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^[1-5]$/)
    expect((await byForm({ username, password: PASSWORD })).status).toBe(201)
  })
})

describe('a token', () => {
  test('says who and until when, and nothing else', async () => {
    const { id, username } = world.memberAdmin
    const [header, claims] = (await tokenOf(username)).split('.').map(part => part)
    expect(decode(header)).toEqual({ alg: 'HS256', typ: 'JWT' })
    const { exp, ...rest } = decode(claims)
    expect(rest).toEqual({ identity: id, name: 'Lena', username, role: 'admin' })
    expect(Number.isInteger(exp)).toBe(true)
    expect(Math.abs(Number(exp) - (Date.now() / 1000 + 86_400))).toBeLessThan(60)
  })

  test('opens the door, with the scheme in any case', async () => {
    const token = await tokenOf(world.memberAnnotator.username)
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect((await withToken(token, scheme)).status).toBe(200)
    expectUnauthorized(await withToken(token, 'Basic'))
  })

  test('is looked at when the API key is wrong or empty; a right key wins', async () => {
    const authorization = `Bearer ${await tokenOf(world.memberAnnotator.username)}`
    const me = (key: string) =>
      world.nobody.send<{ username: string }>('GET /me', undefined, { authorization, 'X-Argilla-Api-Key': key })
    expect((await me('wrong')).body.username).toBe(world.memberAnnotator.username)
    expect((await me('')).body.username).toBe(world.memberAnnotator.username)
    expect((await me(world.memberAdmin.key ?? '')).body.username).toBe(world.memberAdmin.username)
  })

  test('that is forged, unsigned, expired or no token opens nothing', async () => {
    const [header, claims, signature] = (await tokenOf(world.memberAnnotator.username)).split('.')
    const sign = (content: string) => createHmac('sha256', 'guess').update(content).digest('base64url')
    const owner = encode({ ...decode(claims), username: world.server.username, role: 'owner' })
    const tokens = [
      'nonsense',
      '',
      `${header}.${owner}.${signature}`,
      `${header}.${owner}.${sign(`${header}.${owner}`)}`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`,
    ]
    for (const token of tokens) expectUnauthorized(await withToken(token))
  })

  test('ends with a change of role; the API key stays', async () => {
    const user = await aUser(world.server.url, world.owner, 'owner')
    const token = await tokenOf(user.username)
    await world.owner.done(`PATCH /users/${user.id}`, { role: 'owner', last_name: 'Berg' })
    expect((await withToken(token)).status).toBe(200)
    await world.owner.done(`PATCH /users/${user.id}`, { role: 'annotator' })
    expectUnauthorized(await withToken(token))
    expectUnauthorized(await world.nobody.send('GET /users', undefined, { authorization: `Bearer ${token}` }))
    expect((await withToken(await tokenOf(user.username))).body.role).toBe('annotator')
    expect((await user.send('GET /me')).status).toBe(200)
  })

  test('ends with a new password, given by its user or by an owner', async () => {
    const user = await aUser(world.server.url, world.owner, 'annotator')
    const [first, second] = [await tokenOf(user.username), await tokenOf(user.username)]
    await user.done('PUT /me/password', { current_password: PASSWORD, new_password: 'another password' })
    for (const token of [first, second]) expectUnauthorized(await withToken(token))
    const third = await tokenOf(user.username, 'another password')
    expect((await withToken(third)).status).toBe(200)
    await world.owner.done(`PATCH /users/${user.id}`, { password: PASSWORD })
    expectUnauthorized(await withToken(third))
  })

  test('stays valid after a rename, and ends when its user is deleted, even if another user gets the name', async () => {
    const user = await aUser(world.server.url, world.owner, 'annotator')
    const token = await tokenOf(user.username)
    await world.owner.done(`PATCH /users/${user.id}`, { username: fresh('renamed') })
    const heir = await aUser(world.server.url, world.owner, 'owner', { username: user.username })
    expect((await withToken(token)).body).toMatchObject({ id: user.id, role: 'annotator' })

    await world.owner.done(`DELETE /users/${user.id}`)
    expectUnauthorized(await withToken(token))
    expectUnauthorized(await user.send('GET /me'))
    await world.owner.done(`PATCH /users/${heir.id}`, { username: fresh('renamed') })
    expectUnauthorized(await withToken(token))
  })

  test('is made with the password of today', async () => {
    const user = await aUser(world.server.url, world.owner, 'annotator')
    await world.owner.done(`PATCH /users/${user.id}`, { password: 'another password' })
    expectUnauthorized(await signIn(new URLSearchParams({ username: user.username, password: PASSWORD })))
    await tokenOf(user.username, 'another password')
  })
})

describe('an API key', () => {
  test('counts only when it is exactly right', async () => {
    const key = world.memberAdmin.key ?? ''
    for (const wrong of [key.slice(1), `${key}x`, key.toUpperCase(), '*', 'null']) {
      expectUnauthorized(await caller(world.server.url, wrong).send('GET /me'))
    }
    expect((await world.nobody.send('GET /me', undefined, { 'X-ARGILLA-API-KEY': key })).status).toBe(200)
  })
})
