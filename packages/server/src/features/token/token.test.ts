import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../../http/authenticate.ts'
import { createRunCall } from '../../http/run-call.ts'
import { signToken, verifyToken } from '../../http/token.ts'
import { openTestContext, TEST_SENDER, type TestContext } from '../../testing/context.ts'
import { createFirstOwner } from '../users/create-first-owner.ts'
import { findUserByUsername, type UserRow } from '../users/store.ts'
import { tokenRoutes } from './routes.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
  await createFirstOwner(ctx, { username: 'lena', password: 'long enough', apiKey: null, workspace: null })
})
afterAll(() => ctx.close())

const runCall = createRunCall(tokenRoutes)

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

describe('a token', () => {
  const speaksFor = async (token: string) => {
    const request = { method: 'GET', headers: { authorization: `Bearer ${token}` } }
    return (await authenticate(ctx, request, TEST_SENDER)).actor?.username ?? null
  }
  /** Creates a user and returns them with a token. */
  async function aToken(username: string): Promise<{ user: UserRow; token: string }> {
    await createFirstOwner(ctx, { username, password: 'long enough', apiKey: null, workspace: null })
    const { body } = await signIn(`username=${username}&password=long+enough`)
    return { user: (await findUserByUsername(ctx.db, username)) as UserRow, token: body.access_token }
  }

  test('that is too long is not even read', async () => {
    const { token } = await aToken('long')
    expect(await speaksFor(`${token}${'A'.repeat(9_000)}`)).toBeNull()
  })

  test.each(['HS256', 'HS384', 'HS512'])(
    'of algorithm %s is read by a server that signs so, and by no other',
    async algorithm => {
      const { user } = await aToken(`with ${algorithm}`)
      const other = { ...ctx, config: { ...ctx.config, authAlgorithm: algorithm as 'HS256' } }
      const token = await signToken(other, user)
      expect(await verifyToken(other, token)).toBe(user.id)
      if (algorithm !== 'HS256') expect(await verifyToken(ctx, token)).toBeNull()
    },
  )
})
