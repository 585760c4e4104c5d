/** Attacks on sign-in: callers who did not start it, and malicious providers, must not succeed. */
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { GITHUB_CLIENT, type GitHubServer, openGitHubServer } from './testing/github-server.ts'
import { type HostileProvider, openHostileProvider } from './testing/hostile-provider.ts'
import { openSignInServer, type Returned, type SignInServer } from './testing/people.ts'

const CLIENT = { client_id: 'postil', client_secret: 'a secret' }
const SECRETS = [CLIENT.client_secret, GITHUB_CLIENT.client_secret]

let first: HostileProvider
let second: HostileProvider
let github: GitHubServer
let server: SignInServer
beforeAll(async () => {
  first = await openHostileProvider()
  second = await openHostileProvider()
  github = await openGitHubServer()
  const providers = [
    { name: 'first', title: 'First', issuer: first.url, ...CLIENT },
    { name: 'second', title: 'Second', issuer: second.url, ...CLIENT },
    { name: 'github', url: github.url, ...GITHUB_CLIENT },
  ]
  server = await openSignInServer({ providers }, { limits: { timeoutMs: 2_000, bytesMax: 262_144 } })
})
afterEach(async () => {
  first.behave({})
  expect(await countUsers()).toBe(usersExpected)
})
afterAll(async () => {
  await server.close()
  await Promise.all([first.close(), second.close(), github.close()])
})

/** Attacks must not create users. */
let usersExpected = 0
const countUsers = async () => (await server.ctx.db.sql.all('select id from users')).length

const lena = { sub: 'lena', preferred_username: 'lena' }
const mallory = { sub: 'mallory', preferred_username: 'mallory' }
type Answer = Awaited<ReturnType<ReturnType<SignInServer['browser']>['finish']>>

const NO_ATTEMPT = /^at state: `state` belongs to no sign-in with/
const USED = /^This sign-in was used already/

function expectRefused({ status, body, cookies }: Answer, expected: 401 | 422, detail: RegExp): void {
  expect([status, body]).toEqual([expected, expect.objectContaining({ detail: expect.stringMatching(detail) })])
  expect(cookies).toEqual([])
  for (const secret of SECRETS) expect(JSON.stringify(body)).not.toContain(secret)
}

describe('the callback', () => {
  test('works once: the same state and code again are refused', async () => {
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    const cookies = new Map(browser.jar)
    expect((await browser.finish('first', returned)).status).toBe(201)
    usersExpected = 1
    expectRefused(await browser.finish('first', returned), 422, NO_ATTEMPT)
    for (const [name, value] of cookies) browser.jar.set(name, value)
    expectRefused(await browser.finish('first', returned), 401, USED)
  })

  test('works once across processes, even if the provider takes a code twice', async () => {
    const browser = server.browser()
    const location = await browser.begin('first')
    const returned = first.grant(location, lena)
    const cookies = new Map(browser.jar)
    expect((await browser.finish('first', returned)).status).toBe(201)
    for (const [name, value] of cookies) browser.jar.set(name, value)
    first.behave({ anyCode: { person: lena, nonce: new URL(location).searchParams.get('nonce') } })
    // Simulates another process, which knows the used state only from the database.
    const { useState } = server.ctx.providers
    server.ctx.providers.useState = () => true
    const answer = await browser.finish('first', returned)
    server.ctx.providers.useState = useState
    expect([answer.status, answer.body.detail]).toEqual([401, expect.stringMatching(USED)])
  })

  test('works once: the state of a failed sign-in cannot be used again', async () => {
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    expectRefused(await browser.finish('first', { ...returned, code: 'a guess' }), 401, /First did not sign you in: no such/)
    expectRefused(await browser.finish('first', returned), 401, USED)
  })

  test('is not open to a browser that did not begin it', async () => {
    const [victim, attacker] = [server.browser(), server.browser()]
    const returned = first.grant(await attacker.begin('first'), mallory)
    expectRefused(await victim.finish('first', returned), 422, NO_ATTEMPT)
    await victim.begin('first')
    expectRefused(await victim.finish('first', returned), 422, NO_ATTEMPT)
  })

  test('does not take the code of another browser’s sign-in', async () => {
    const [victim, attacker] = [server.browser(), server.browser()]
    const stolen = first.grant(await victim.begin('first'), lena)
    const own = first.grant(await attacker.begin('first'), mallory)
    // PKCE: the stolen code only matches the victim's verifier.
    expectRefused(await attacker.finish('first', { ...own, code: stolen.code }), 401, /did not sign you in/)
  })

  test('does not take a code that another browser’s nonce belongs to', async () => {
    const [victim, attacker] = [server.browser(), server.browser()]
    const nonce = new URL(await victim.begin('first')).searchParams.get('nonce')
    first.behave({ anyCode: { person: lena, nonce } })
    const { state } = first.grant(await attacker.begin('first'), mallory)
    expectRefused(await attacker.finish('first', { code: 'injected', state }), 401, /not valid: .*nonce/)
  })

  test('does not take the code or the state of another provider', async () => {
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    expectRefused(await browser.finish('second', returned), 422, NO_ATTEMPT)
    expectRefused(await browser.finish('github', returned), 422, NO_ATTEMPT)
    const { state } = second.grant(await browser.begin('second'), lena)
    expectRefused(await browser.finish('second', { code: returned.code, state }), 401, /Second did not sign you in/)
  })

  test('does not take the answer of another issuer', async () => {
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    expectRefused(await browser.finish('first', { ...returned, iss: second.url }), 401, /First gave an answer that is not valid/)
  })

  test.each([
    { iss: (url: string) => url, ok: true },
    { iss: (url: string) => `${url}/login/oauth`, ok: true },
    { iss: () => 'https://evil.example', ok: false },
  ])('with GitHub takes its own issuer only, case %#: $ok', async ({ iss, ok }) => {
    const browser = server.browser()
    const returned = github.grant(await browser.begin('github'), { id: 1, login: 'octo' })
    const answer = await browser.finish('github', { ...returned, iss: iss(github.url) })
    expect(answer.status).toBe(ok ? 201 : 401)
    usersExpected = 2
  })

  test.each<{ change: (cookie: string) => string; what: string }>([
    { what: 'cut', change: cookie => cookie.slice(0, -4) },
    { what: 'changed', change: cookie => cookie.replace(/^./, found => (found === 'A' ? 'B' : 'A')) },
    { what: 'empty', change: () => '' },
    { what: 'somebody’s guess', change: () => Buffer.from('{"provider":"first"}'.padEnd(60)).toString('base64url') },
  ])('does not take a cookie that is $what', async ({ change }) => {
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    for (const [name, value] of browser.jar) browser.jar.set(name, change(value))
    expectRefused(await browser.finish('first', returned), 422, NO_ATTEMPT)
  })

  test.each<[Returned, RegExp]>([
    [{}, /`code` is missing/],
    [{ state: 'x' }, /`code` is missing/],
    [{ code: 'x' }, /`state` is missing/],
    [{ code: 'x', state: 'x' }, NO_ATTEMPT],
    [{ error: 'access_denied', error_description: 'Call 555-1234 to unlock', state: 'x' }, NO_ATTEMPT],
  ])('with %j alone is refused', async (returned, detail) => {
    expectRefused(await server.browser().finish('first', returned), 422, detail)
  })

  test('is closed to pages of other origins', async () => {
    const browser = server.browser({ origin: 'https://evil.example' })
    const returned = first.grant(await browser.begin('first'), lena)
    expect((await browser.finish('first', returned)).status).toBe(403)
  })

  test('tells what the provider says as one short line of text', async () => {
    const browser = server.browser()
    const { state } = first.grant(await browser.begin('first'), lena)
    const answer = await browser.finish('first', { error: 'x', error_description: `<b>a\n\u202Eb${'c'.repeat(1000)}`, state })
    expectRefused(answer, 401, /^First did not sign you in: <b>a bc{100,300}$/)
  })
})

describe('an ID token', () => {
  const soon = () => Math.floor(Date.now() / 1000)
  const cases: Record<string, (claims: JWTPayload) => Promise<string> | string> = {
    'signed with another key': async claims => first.sign(claims, (await generateKeyPair('RS256')).privateKey),
    'signed with the key of another provider': claims => first.sign(claims, second.keys.privateKey),
    'without a signature (alg: none)': claims => new UnsecuredJWT(claims).encode(),
    'with its signature cut off': async claims => (await first.sign(claims)).replace(/[^.]*$/, ''),
    'with claims that were changed': async claims => {
      const [head, , signature] = (await first.sign(claims)).split('.')
      return [head, Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url'), signature].join('.')
    },
    'of another issuer': claims => first.sign({ ...claims, iss: second.url }),
    'for another client': claims => first.sign({ ...claims, aud: 'another' }),
    'for several clients, ours not the authorized one': claims =>
      first.sign({ ...claims, aud: ['postil', 'another'], azp: 'another' }),
    'that has expired': claims => first.sign({ ...claims, iat: soon() - 900, exp: soon() - 600 }),
    'that is not valid yet': claims => first.sign({ ...claims, nbf: soon() + 600 }),
    'with another nonce': claims => first.sign({ ...claims, nonce: 'another' }),
    'without a nonce': ({ nonce: _nonce, ...claims }) => first.sign(claims),
    'without a subject': ({ sub: _sub, ...claims }) => first.sign(claims),
    'that is not a token': () => 'not.a.token',
  }

  test.each(Object.keys(cases))('%s is refused', async name => {
    first.behave({ idToken: claims => cases[name]?.(claims) ?? '' })
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    expectRefused(await browser.finish('first', returned), 401, /^First gave an answer that is not valid/)
  })

  test('without a signature is refused even if the provider says that it does so', async () => {
    const liar = await openHostileProvider()
    liar.behave({
      idToken: claims => new UnsecuredJWT(claims).encode(),
      discovery: document => ({ ...document, id_token_signing_alg_values_supported: ['none', 'RS256'] }),
    })
    const other = await openSignInServer({ providers: [{ name: 'liar', title: 'Liar', issuer: liar.url, ...CLIENT }] })
    const browser = other.browser()
    const returned = liar.grant(await browser.begin('liar'), lena)
    expectRefused(await browser.finish('liar', returned), 401, /^Liar gave an answer that is not valid/)
    await other.close()
    await liar.close()
  })

  test('with user info of another subject is refused', async () => {
    first.behave({ userInfo: () => ({ ...mallory, preferred_username: 'root' }) })
    const browser = server.browser()
    const returned = first.grant(await browser.begin('first'), lena)
    expectRefused(await browser.finish('first', returned), 401, /^First gave an answer that is not valid/)
  })
})

describe('a provider', () => {
  const paths = ['/token', '/jwks', '/userinfo', '/.well-known/openid-configuration']

  /** Opens a server that has not contacted this provider yet. */
  async function attemptWith(
    path: string,
    answer: NonNullable<Parameters<HostileProvider['behave']>[0]['answer']>[string],
    timeoutMs = 60_000,
  ) {
    const provider = await openHostileProvider()
    const limits = { timeoutMs, bytesMax: 262_144 }
    const other = await openSignInServer(
      { providers: [{ name: 'odd', title: 'Odd', issuer: provider.url, ...CLIENT }] },
      { limits },
    )
    const browser = other.browser()
    const begin = () => browser.send('GET /oauth2/providers/odd/authentication')
    provider.behave({ answer: { [path]: answer } })
    const begun = await begin()
    const outcome =
      begun.status === 303 ? await browser.finish('odd', provider.grant(String(begun.headers.location), lena)) : begun
    expect(await other.ctx.db.sql.all('select id from users')).toEqual([])
    await other.close()
    await provider.close()
    return outcome
  }

  test.each(paths)('that never answers at %s is given up', async path => {
    expectRefused(await attemptWith(path, () => {}, 300), 422, /^Odd cannot be reached, .*: no answer within 0.3 seconds/)
  })

  test.each(paths)('that sends 10 MB at %s is cut off', async path => {
    const answer = await attemptWith(path, response => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.on('error', () => {})
      response.end(Buffer.alloc(10_000_000, ' '))
    })
    expectRefused(answer, 422, /^Odd cannot be reached, .*: the answer has more than 262144 bytes/)
  })

  test.each(paths)('that answers HTML at %s is refused', async path => {
    const answer = await attemptWith(path, response => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>')
    })
    expect([401, 422]).toContain(answer.status)
    expect(answer.body.detail).toMatch(/^Odd (gave an answer|cannot be reached)/)
    expect(answer.body.detail).not.toContain('script')
  })

  test.each(paths)('that redirects from %s is not followed', async path => {
    const answer = await attemptWith(path, response => {
      response.writeHead(302, { location: `${second.url}/jwks` }).end()
    })
    expect([401, 422]).toContain(answer.status)
  })

  test.each<[string, object]>([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['a token endpoint in the clear', { token_endpoint: 'http://evil.example/token' }],
    ['a key address that is none', { jwks_uri: 'javascript:alert(1)' }],
    ['no keys', { jwks_uri: undefined }],
  ])('whose description has %s is refused at once', async (_what, changes) => {
    const answer = await attemptWith('/.well-known/openid-configuration', response => {
      const base = { issuer: 'x', authorization_endpoint: `${first.url}/authorize`, token_endpoint: `${first.url}/token` }
      const document = { ...base, jwks_uri: `${first.url}/jwks`, response_types_supported: ['code'], ...changes }
      const issuer = `http://127.0.0.1:${response.socket?.localPort}`
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...document, issuer: 'issuer' in changes ? changes.issuer : issuer }))
    })
    expect([401, 422]).toContain(answer.status)
    expect(answer.cookies).toEqual([])
  })
})
