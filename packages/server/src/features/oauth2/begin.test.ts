/** Redirects to providers and back. */
import { afterEach, describe, expect, test } from 'vitest'
import { openSignInServer, type SignInServer } from './testing/people.ts'

const GITHUB = { name: 'github', client_id: 'postil', client_secret: 'a secret' }

let server: SignInServer | undefined
afterEach(() => server?.close())

interface Given {
  file?: object
  provider?: object
  env?: Record<string, string>
  headers?: Record<string, string>
}

async function begin({ file = {}, provider = {}, env = {}, headers = {} }: Given) {
  server = await openSignInServer({ providers: [{ ...GITHUB, ...provider }], ...file }, { env })
  const path = `${env.SERVICE_BASE_URL ?? ''}/api/v1/oauth2/providers/github/authentication`
  const answer = await server.app.inject({ url: path, headers: { host: 'postil.example', ...headers } })
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  const search = URL.parse(String(answer.headers.location))?.searchParams
  return { status: answer.statusCode, redirectUri: search?.get('redirect_uri'), state: search?.get('state') ?? '', cookies }
}

describe('people are sent back', () => {
  test.each<{ what: string; given: Given; to: string }>([
    { what: 'to the host that they asked, with https', given: {}, to: 'https://postil.example/oauth/github/callback' },
    {
      what: 'with http if the operator allows it',
      given: { file: { allow_http_redirect: true } },
      to: 'http://postil.example/oauth/github/callback',
    },
    {
      what: 'below the base URL',
      given: { env: { SERVICE_BASE_URL: '/annotation' } },
      to: 'https://postil.example/annotation/oauth/github/callback',
    },
    {
      what: 'to the public address',
      given: { env: { SERVICE_PUBLIC_URL: 'https://public.example' }, headers: { host: 'inner:6900' } },
      to: 'https://public.example/oauth/github/callback',
    },
    {
      what: 'to a path of the configuration, as it is',
      given: { provider: { redirect_uri: '/other/way' }, env: { SERVICE_BASE_URL: '/annotation' } },
      to: 'https://postil.example/other/way',
    },
    {
      what: 'to an address of the configuration',
      given: { provider: { redirect_uri: 'https://public.example/x/oauth/github/callback' } },
      to: 'https://public.example/x/oauth/github/callback',
    },
    {
      what: 'to the host that a trusted proxy names',
      given: { env: { SERVICE_TRUSTED_PROXIES: 'loopback' }, headers: { 'x-forwarded-host': 'public.example' } },
      to: 'https://public.example/oauth/github/callback',
    },
    {
      what: 'and not to one that anybody else names',
      given: { headers: { 'x-forwarded-host': 'evil.example' } },
      to: 'https://postil.example/oauth/github/callback',
    },
  ])('$what', async ({ given, to }) => {
    expect(await begin(given)).toMatchObject({ status: 303, redirectUri: to })
  })

  test.each(['evil.example/path', 'user@evil.example', 'a b', 'evil.example?x', '[::1', 'x'.repeat(300)])(
    'never to %j, which is not a host',
    async host => {
      expect(await begin({ headers: { host } })).toMatchObject({ status: 422, cookies: [] })
    },
  )

  test.each([
    {
      http: false,
      cookie: /^__Host-postil_sign_in_[0-9a-f]{16}=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=600; Secure$/,
    },
    { http: true, cookie: /^postil_sign_in_[0-9a-f]{16}=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=600$/ },
  ])('with a cookie that fits: $cookie', async ({ http, cookie: expected }) => {
    const [cookie = ''] = (await begin({ file: { allow_http_redirect: http } })).cookies
    expect(cookie).toMatch(expected)
    // The content is encrypted.
    expect(Buffer.from(cookie.split(/[=;]/)[1] ?? '', 'base64url').toString('latin1')).not.toContain('github')
  })

  test('over https only with the cookie that a neighbour cannot set', async () => {
    const { cookies, state } = await begin({})
    const [, id, value] = /^__Host-postil_sign_in_(\w+)=([^;]*)/.exec(cookies[0] ?? '') ?? []
    const finish = (cookie: string) =>
      server?.browser().send('POST /oauth2/providers/github/session', { body: { error: 'x', state }, headers: { cookie } })
    expect((await finish(`postil_sign_in_${id}=${value}`))?.status).toBe(422)
    expect((await finish(`__Host-postil_sign_in_${id}=${value}`))?.status).toBe(401)
  })
})

test('a provider that cannot be reached: programs get an error, people the sign-in page', async () => {
  const provider = { name: 'closed', issuer: 'http://127.0.0.1:9', client_id: 'a', client_secret: 'b' }
  server = await openSignInServer({ providers: [provider] })
  const ask = (headers: Record<string, string>) =>
    server?.browser().send('GET /oauth2/providers/closed/authentication?to=/dataset/1', { headers })
  const program = await ask({})
  expect([program?.status, program?.body.detail]).toEqual([422, expect.stringContaining('closed cannot be reached')])
  const person = await ask({ 'sec-fetch-mode': 'navigate' })
  expect([person?.status, person?.headers.location]).toEqual([303, '../../../../../sign-in?to=%2Fdataset%2F1&failed=closed'])
})
