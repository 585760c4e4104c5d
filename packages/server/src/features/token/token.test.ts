import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../../http/authenticate.ts'
import { openRunCall } from '../../http/run-call.ts'
import { openTestContext, TEST_SENDER, type TestContext } from '../../testing/context.ts'
import { createFirstOwner } from '../users/create-first-owner.ts'
import { tokenRoutes } from './routes.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
  await createFirstOwner(ctx, { username: 'lena', password: 'long enough', apiKey: null, workspace: null })
})
afterAll(() => ctx.close())

const runCall = openRunCall(tokenRoutes)

async function signIn(body: string, contentType = 'application/x-www-form-urlencoded', address = TEST_SENDER.address) {
  const call = {
    routeId: 'createToken',
    params: {},
    search: '',
    actor: null,
    refusal: null,
    requestId: 'test',
    sender: { ...TEST_SENDER, address },
  }
  const reply = await runCall(ctx, { ...call, contentType, body: new TextEncoder().encode(body) })
  const { status, headers } = reply
  return { status, headers, body: JSON.parse(new TextDecoder().decode(reply.body ?? new Uint8Array())) }
}

describe('signing in', () => {
  test('answers a bearer token that speaks for the user', async () => {
    const { status, body } = await signIn('username=lena&password=long+enough')
    expect({ status, body }).toEqual({ status: 201, body: { access_token: expect.any(String), token_type: 'bearer' } })
    const { actor } = await authenticate(
      ctx,
      { method: 'GET', headers: { authorization: `Bearer ${body.access_token}` } },
      TEST_SENDER,
    )
    expect(actor).toMatchObject({ username: 'lena', role: 'owner' })
  })

  test('answers an unknown name and a wrong password alike', async () => {
    const wrong = await signIn('username=lena&password=something+else')
    const unknown = await signIn('username=nobody&password=long+enough')
    expect(wrong).toMatchObject({ status: 401, body: { detail: { code: 'argilla.api.errors::UnauthorizedError' } } })
    expect(unknown).toEqual(wrong)
  })

  test.each([
    { body: 'username=lena', missing: ['password'] },
    { body: 'password=x', missing: ['username'] },
    { body: '{"username":"lena","password":"x"}', contentType: 'application/json', missing: ['username', 'password'] },
  ])('reports what is missing of $body', async ({ body, contentType, missing }) => {
    const reply = await signIn(body, contentType)
    expect(reply.status).toBe(422)
    expect(reply.body.detail.params.errors).toMatchObject(missing.map(name => ({ type: 'missing', loc: ['body', name] })))
  })
})

describe('guessing', () => {
  const guess = (username: string, password: string, address = TEST_SENDER.address) =>
    signIn(`username=${username}&password=${password}`, undefined, address)

  test('is slowed down after ten wrong passwords, for this name and this address only', async () => {
    for (let i = 0; i < 10; i++) expect((await guess('omar', `guess-${i}`)).status).toBe(401)
    expect(await guess('omar', 'one-more')).toEqual({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^[1-5]$/) },
      body: { detail: expect.stringMatching(/^Too many attempts\. Try again in [1-5] seconds\.$/) },
    })
    expect((await guess('lena', 'long+enough')).status).toBe(201)
    expect((await guess('omar', 'one-more', '10.0.0.7')).status).toBe(401)
  })

  test('refuses the right password too while it is slowed down; right ones before do not count', async () => {
    for (let i = 0; i < 12; i++) expect((await guess('lena', 'long+enough', '10.0.0.8')).status).toBe(201)
    for (let i = 0; i < 10; i++) expect((await guess('lena', 'a-guess', '10.0.0.8')).status).toBe(401)
    expect((await guess('lena', 'long+enough', '10.0.0.8')).status).toBe(429)
  })
})
