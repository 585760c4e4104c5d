import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../../http/authenticate.ts'
import { createRunCall } from '../../http/run-call.ts'
import { signToken, verifyToken } from '../../http/token.ts'
import { actAs, openTestContext, TEST_SENDER, type TestContext } from '../../testing/context.ts'
import { createFirstOwner } from '../users/create-first-owner.ts'
import { findUserByUsername, type UserRow } from '../users/store.ts'
import { updateWholeUser } from '../users/testing/whole-calls.ts'
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

  test('ends with a change of password or role', async () => {
    const owner = await actAs(ctx, 'owner')
    for (const change of [{ password: 'another one' }, { role: 'admin' } as const]) {
      const { user, token } = await aToken(`changed by ${Object.keys(change)}`)
      expect(await speaksFor(token)).toBe(user.username)
      await updateWholeUser(owner, user.id, change)
      expect(await speaksFor(token)).toBeNull()
    }
  })

  test('belongs to the id: it outlives a new name, and is never that of another user who gets the old one', async () => {
    const { user, token } = await aToken('before')
    await updateWholeUser(await actAs(ctx, 'owner'), user.id, { username: 'after' })
    const { token: other } = await aToken('before')
    expect([await speaksFor(token), await speaksFor(other)]).toEqual(['after', 'before'])
    await ctx.db.sql.run('delete from users where id = ?', [user.id])
    await aToken('after')
    expect(await speaksFor(token)).toBeNull()
  })

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
