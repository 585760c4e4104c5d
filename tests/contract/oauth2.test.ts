/** Sign-in with a real OpenID Connect provider, over HTTP and across the server's threads. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OIDC_CLIENT, type OidcServer, openOidcServer } from '../oidc-server.ts'
import { postil } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { expectRefused } from './answers.ts'
import { type Answer, caller } from './http.ts'

const folder = mkdtempSync(join(tmpdir(), 'postil-oauth-'))
let provider: OidcServer
let server: StartedServer
beforeAll(async () => {
  provider = await openOidcServer()
  const path = join(folder, 'oauth.yaml')
  writeFileSync(
    path,
    `allow_http_redirect: true
providers:
  - name: campus
    title: Campus
    issuer: ${provider.url}
    client_id: ${OIDC_CLIENT.client_id}
allowed_workspaces:
  - name: beginners
`,
  )
  const env = { SERVICE_AUTH_OAUTH_CFG: path, OAUTH2_CAMPUS_CLIENT_SECRET: OIDC_CLIENT.client_secret, SERVICE_LOG_LEVEL: 'trace' }
  server = await startServer({ env })
  provider.serve(`${server.url}/oauth/campus/callback`)
})
afterAll(async () => {
  await server?.close()
  await provider?.close()
  rmSync(folder, { recursive: true, force: true })
})

const nobody = () => caller(server.url, null)
const cookieOf = ({ headers }: Answer) =>
  headers
    .getSetCookie()
    .map(text => text.split(';', 1)[0])
    .join('; ')

async function begin(query = '') {
  const answer = await nobody().send(`GET /oauth2/providers/campus/authentication${query}`)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 303, text: '' })
  return { cookie: cookieOf(answer), location: answer.headers.get('location') ?? '', headers: answer.headers }
}

const finish = (cookie: string, body: object) =>
  nobody().send<{ user: User; return_to: string }>('POST /oauth2/providers/campus/session', body, { cookie })

describe('a sign-in', () => {
  test('opens a session, and ends at the page that was asked for', async () => {
    const { cookie, location } = await begin('?to=%2Fdataset%2F1%3Fpage%3D2')
    const answer = await finish(cookie, await provider.visit(location, { login: 'lena' }))
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      user: { username: 'lena', first_name: 'LENA', role: 'annotator' },
      return_to: '/dataset/1?page=2',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const session = cookieOf(answer)
    expect((await nobody().send('GET /me', undefined, { cookie: session })).body).toEqual(answer.body.user)
    const { body } = await nobody().send<{ items: Workspace[] }>('GET /me/workspaces', undefined, { cookie: session })
    expect(body.items.map(({ name }) => name)).toEqual(['beginners'])
  })

  test('gives programs a token, and finds the same user again', async () => {
    const [first, second] = [await begin(), await begin()]
    const { user } = (await finish(first.cookie, await provider.visit(first.location, { login: 'omar' }))).body
    const returned = new URLSearchParams(await provider.visit(second.location, { login: 'omar' }))
    const path = `GET /oauth2/providers/campus/access-token?${returned}`
    const answer = await nobody().send<{ access_token: string }>(path, undefined, { cookie: second.cookie })
    expect([answer.status, answer.body]).toEqual([200, { access_token: expect.any(String), token_type: 'bearer' }])
    const headers = { authorization: `Bearer ${answer.body.access_token}` }
    expect((await nobody().send<User>('GET /me', undefined, headers)).body.id).toBe(user.id)
  })

  test('in several tabs at once works in each', async () => {
    const first = await begin()
    const again = await nobody().send('GET /oauth2/providers/campus/authentication', undefined, { cookie: first.cookie })
    const cookie = `${first.cookie}; ${cookieOf(again)}`
    const second = await provider.visit(again.headers.get('location') ?? '', { login: 'tab' })
    const returned = await provider.visit(first.location, { login: 'tab' })
    expect((await finish(cookie, second)).status).toBe(201)
    expect((await finish(cookie, returned)).status).toBe(201)
  })

  test('keeps a few cookies only, however often it is begun', async () => {
    const jar = new Map<string, string>()
    for (let i = 0; i < 12; i++) {
      const cookie = Array.from(jar, pair => pair.join('=')).join('; ')
      const { headers } = await nobody().send('GET /oauth2/providers/campus/authentication', undefined, { cookie })
      for (const text of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
    }
    expect(jar.size).toBe(4)
  })

  test('that the person refuses is told in the provider’s words', async () => {
    const { cookie, location } = await begin()
    const returned = await provider.visit(location, { login: 'x', act: 'refuse' })
    const answer = await finish(cookie, returned)
    const detail = 'Campus did not sign you in: The person refused'
    expect([answer.status, answer.body]).toEqual([401, { detail, code: 'provider_refused' }])
  })

  test('without the issuer, which this provider always names, is refused', async () => {
    const { cookie, location } = await begin()
    const { iss, ...returned } = await provider.visit(location, { login: 'lena' })
    expect(iss).toBe(provider.url)
    expect((await finish(cookie, returned)).status).toBe(401)
  })
})

describe('the address at the provider', () => {
  test('has what the configuration says, and nothing that the request adds', async () => {
    const wrong = { redirect_uri: 'https://evil.example', state: 'known', client_id: 'evil', scope: 'admin', nonce: 'known' }
    const { location, headers } = await begin(`?${new URLSearchParams({ ...wrong, response_mode: 'query', prompt: 'none' })}`)
    const { origin, searchParams } = new URL(location)
    expect(origin).toBe(provider.url)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'postil',
      response_type: 'code',
      redirect_uri: `${server.url}/oauth/campus/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^postil_sign_in_[0-9a-f]{16}=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=600$/),
    ])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/.//evil.example',
  ])('never makes %j the page to return to', async to => {
    const { cookie, location } = await begin(`?${new URLSearchParams({ to })}`)
    const answer = await finish(cookie, await provider.visit(location, { login: 'lena' }))
    expect([answer.status, answer.body.return_to]).toEqual([201, '/'])
  })
})

describe('providers', () => {
  test('are listed with their names for buttons', async () => {
    expect((await nobody().send('GET /oauth2/providers')).body).toEqual({ items: [{ name: 'campus', title: 'Campus' }] })
  })

  test.each(['GET /oauth2/providers/other/authentication', 'GET /oauth2/providers/other/access-token?code=a&state=b'])(
    'that are not configured do not exist: %s',
    async request => expectRefused(await nobody().send(request), 404),
  )

  test.each(['__proto__', 'constructor', '..%2f..', '%00', '%0d%0aX-Evil:1', 'CAMPUS', "'%20or%201=1--", 'x'.repeat(1_900)])(
    'with the name %s do not exist either',
    async name => {
      const answer = await nobody().send(`GET /oauth2/providers/${name}/authentication`)
      expect([404, 422]).toContain(answer.status)
      expect([answer.headers.get('location'), answer.headers.get('x-evil')]).toEqual([null, null])
    },
  )

  test('that are not described well keep the server from starting, with the place of every problem', () => {
    const path = join(folder, 'wrong.yaml')
    writeFileSync(path, 'providers:\n  - name: myspace\n    clientid: x\n')
    const env = { SERVICE_HOME_PATH: join(folder, 'home'), SERVICE_AUTH_OAUTH_CFG: path }
    const { status, stderr } = postil(['start', '--port', '0'], env)
    expect(status).not.toBe(0)
    for (const place of ['providers[0].clientid', 'providers[0].issuer', 'providers[0].client_id']) {
      expect(stderr).toContain(`${path}, ${place}: `)
    }
  })
})

test('no secret, code or token of these sign-ins was logged', async () => {
  const { cookie, location } = await begin()
  const returned = await provider.visit(location, { login: 'lena' })
  await finish(cookie, { ...returned, code: `${returned.code}x` })
  await expect.poll(() => server.output()).toContain('a sign-in provider refused')
  const { searchParams } = new URL(location)
  for (const secret of [OIDC_CLIENT.client_secret, returned.code, searchParams.get('state'), searchParams.get('nonce')]) {
    expect(server.output()).not.toContain(secret)
  }
})
