/** Keys and tokens that are forged, duplicated, expired or malformed are refused, and valid ones still work. */
import { createHmac, hkdfSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectUnauthorized } from '../answers.ts'
import { type Answer, NO_ID } from '../http.ts'
import { AUTH_SECRET } from '../shared-servers.ts'
import { closeConnections, openConnection, requestText } from './raw-socket.ts'
import { openTarget, type Target, unharmed } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterEach(closeConnections)
afterAll(() => target?.close())

const encode = (part: unknown) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600
const claimsOf = (changes: object = {}) => ({
  identity: target.owner.id,
  name: 'owner',
  username: target.owner.username,
  role: 'owner',
  exp: inAnHour(),
  ...changes,
})

/** Signing key for tokens of a user: HKDF of the secret with the user's id and the version of their credentials. */
const keyOf = (userId: string, version = 1, secret = AUTH_SECRET) =>
  Buffer.from(hkdfSync('sha256', secret, '', `postil token ${userId} ${version}`, 64))

interface Forged {
  header?: unknown
  claims?: unknown
  hash?: string
  key?: Buffer | string
}

function sign({
  header = { alg: 'HS256', typ: 'JWT' },
  claims = claimsOf(),
  hash = 'sha256',
  key = keyOf(target.owner.id),
}: Forged = {}): string {
  const content = `${encode(header)}.${encode(claims)}`
  return `${content}.${createHmac(hash, key).update(content).digest('base64url')}`
}

const signedFor = (identity: string) => sign({ claims: claimsOf({ identity }), key: keyOf(identity) })

const me = (headers: Record<string, string>): Promise<Answer> => target.nobody.send('GET /me', undefined, headers)
const withToken = (token: string) => me({ authorization: `Bearer ${token}` })

describe('a bearer token', () => {
  test('signed with the key of its user is taken, whatever name and role it claims', async () => {
    for (const changes of [{}, { username: 'somebody', role: 'annotator' }, { username: undefined }]) {
      const answer = await withToken(sign({ claims: claimsOf(changes) }))
      expect(answer.body).toMatchObject({ username: target.owner.username, role: 'owner' })
    }
  })

  const FORGED: Record<string, () => string> = {
    expired: () => sign({ claims: claimsOf({ exp: Math.floor(Date.now() / 1_000) - 1 }) }),
    'expired long ago': () => sign({ claims: claimsOf({ exp: 0 }) }),
    'of a time that is none': () => sign({ claims: claimsOf({ exp: 'tomorrow' }) }),
    'of a time that is null': () => sign({ claims: claimsOf({ exp: null }) }),
    'of no time': () => sign({ claims: claimsOf({ exp: undefined }) }),
    'not valid yet': () => sign({ claims: claimsOf({ nbf: inAnHour() }) }),
    'of nobody': () => sign({ claims: claimsOf({ identity: undefined }) }),
    'of an unknown user': () => signedFor(NO_ID),
    'of an unknown user, signed for no version': () => sign({ claims: claimsOf({ identity: NO_ID }), key: keyOf(NO_ID, 0) }),
    'of a user that is a number': () => sign({ claims: claimsOf({ identity: 1 }), key: keyOf('1') }),
    'of a user that is an object': () => sign({ claims: claimsOf({ identity: { $ne: '' } }) }),
    'of a user that is a list': () => sign({ claims: claimsOf({ identity: [target.owner.id] }) }),
    'of a user by name': () => signedFor(target.owner.username),
    'of a user in upper case': () => signedFor(target.owner.id.toUpperCase()),
    'of a user that is SQL': () => signedFor("' or '1'='1"),
    'of a user with a NUL': () => signedFor(`${target.owner.id}\0`),
    'of a prototype': () => signedFor('__proto__'),
    'of a user of 3,000 letters': () => sign({ claims: claimsOf({ identity: 'a'.repeat(3_000) }) }),
    'of a user of 9,000 letters': () => sign({ claims: claimsOf({ identity: 'a'.repeat(9_000) }) }),
    'signed with the secret itself': () => sign({ key: AUTH_SECRET }),
    'signed for another user': () => sign({ key: keyOf(NO_ID) }),
    'signed for credentials of the past': () => sign({ key: keyOf(target.owner.id, 0) }),
    'signed for credentials of the future': () => sign({ key: keyOf(target.owner.id, 2) }),
    'with claims that are a list': () => sign({ claims: [] }),
    'with claims that are no JSON': () => sign({ claims: '{' }),
    'with claims that are null': () => sign({ claims: null }),
    'with a header that is no JSON': () => sign({ header: '{' }),
    'with a header that is null': () => sign({ header: null }),
    'without an algorithm': () => sign({ header: { typ: 'JWT' } }),
    'of algorithm none': () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claimsOf())}.`,
    'of algorithm None': () => sign({ header: { alg: 'None', typ: 'JWT' } }),
    'of algorithm none, signed': () => sign({ header: { alg: 'none', typ: 'JWT' } }),
    'of algorithm HS384': () => sign({ header: { alg: 'HS384', typ: 'JWT' }, hash: 'sha384' }),
    'of algorithm HS512': () => sign({ header: { alg: 'HS512', typ: 'JWT' }, hash: 'sha512' }),
    'of algorithm RS256': () => sign({ header: { alg: 'RS256', typ: 'JWT' } }),
    'of an algorithm that is a list': () => sign({ header: { alg: ['HS256'], typ: 'JWT' } }),
    'with its own key': () => sign({ header: { alg: 'HS256', jwk: { kty: 'oct', k: encode('x') } }, key: 'x' }),
    'with a key from elsewhere': () => sign({ header: { alg: 'HS256', jku: 'http://127.0.0.1:1/' }, key: 'x' }),
    'with demands nobody knows': () => sign({ header: { alg: 'HS256', crit: ['x'], x: 1 } }),
    'with a body that is not encoded': () => sign({ header: { alg: 'HS256', b64: false, crit: ['b64'] } }),
    'signed by somebody else': () => sign({ key: keyOf(target.owner.id, 1, 'a guess') }),
    'signed with nothing': () => sign({ key: '' }),
    'with another signature': () => `${sign().split('.').slice(0, 2).join('.')}.${sign({ claims: {} }).split('.')[2]}`,
    'with a signature cut short': () => sign().slice(0, -2),
    'with a signature made longer': () => `${sign()}AAAA`,
    'with claims changed afterwards': () => sign().replace(/\.[^.]+\./, `.${encode(claimsOf({ exp: inAnHour() + 9 }))}.`),
    'of two parts': () => sign().split('.').slice(0, 2).join('.'),
    'of four parts': () => `${sign()}.x`,
    'of no parts': () => '...',
    'of one dot': () => '.',
    'that is not ASCII': () => 'é.é.é',
  }

  test.each(Object.entries(FORGED))('%s opens nothing', async (_, token) => {
    expectUnauthorized(await withToken(token()))
  })

  test('none of them writes anything', async () => {
    await unharmed(target, async () => {
      for (const token of Object.values(FORGED)) {
        const answer = await target.nobody.send('POST /workspaces', { name: 'forged' }, { authorization: `Bearer ${token()}` })
        expectUnauthorized(answer)
      }
    })
  })
})

describe('odd ways to write credentials', () => {
  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and a blank', () => 'Bearer '],
    ['no scheme', () => sign()],
    ['two tokens', () => `Bearer ${sign()} ${sign()}`],
    ['two schemes', () => `Bearer Bearer ${sign()}`],
    ['a comma', () => `Bearer ${sign()}, Bearer ${sign()}`],
    ['another scheme', () => `Token ${sign()}`],
    ['Basic', () => `Basic ${Buffer.from('owner:owner-password').toString('base64')}`],
    ['the key as token', () => `Bearer ${target.owner.key}`],
    ['quotes', () => `Bearer "${sign()}"`],
    ['an equals sign', () => `Bearer=${sign()}`],
  ])('Authorization with %s opens nothing', async (_, authorization) => {
    expectUnauthorized(await me({ authorization: authorization() }))
  })

  test.each<[string, (key: string) => string]>([
    ['half of it', key => key.slice(0, 5)],
    ['more of it', key => `${key}x`],
    ['upper case', key => key.toUpperCase()],
    ['a wildcard', () => '%'],
    ['SQL', () => "' or '1'='1"],
    ['a list', key => `${key}, ${key}`],
    ['quotes', key => `"${key}"`],
    ['not ASCII', () => 'ÿÿÿ'],
    ['a prototype', () => '__proto__'],
    ['8,000 letters', () => 'a'.repeat(8_000)],
  ])('a key with %s opens nothing', async (_, key) => {
    expectUnauthorized(await me({ 'x-argilla-api-key': key(target.owner.key ?? '') }))
  })

  test.each(['?api_key=', '?x-argilla-api-key=', '?token=', '?access_token='])(
    'a key in the address (%s) opens nothing',
    async query => {
      expectUnauthorized(await target.nobody.send(`GET /me${query}${target.owner.key}`))
    },
  )

  test('two keys, or two tokens, are one too many', async () => {
    const key = `X-Argilla-Api-Key: ${target.owner.key}`
    for (const headers of [
      [key, 'X-Argilla-Api-Key: wrong'],
      ['X-Argilla-Api-Key: wrong', key],
      [key, key],
      ['Authorization: Bearer wrong', `Authorization: Bearer ${sign()}`],
    ]) {
      const connection = await openConnection(target)
      connection.write(requestText('GET /api/v1/me', headers))
      const [answer] = await connection.answers(1)
      expect([headers, answer?.status]).toEqual([headers, 401])
      connection.destroy()
    }
  })
})

describe('signing in', () => {
  const signIn = (body: string, type = 'application/x-www-form-urlencoded') =>
    target.nobody.send('POST /token', body, { 'content-type': type })

  test.each([
    ['nothing', ''],
    ['no password', 'username=owner'],
    ['no name', 'password=owner-password'],
    ['JSON', '{"username":"owner","password":"owner-password"}'],
    ['a NUL', 'username=owner%00&password=owner-password'],
    ['prototypes', '__proto__=x&constructor=y'],
    ['lists', 'username[]=owner&password[]=owner-password'],
    ['broken escapes', 'username=%&password=%zz%'],
    ['a long password', `username=owner&password=${'a'.repeat(8_000)}`],
    ['another password first', 'username=owner&password=owner-password&password=wrong'],
    ['SQL', "username=' or '1'='1&password=' or '1'='1"],
  ])('with %s opens nothing', async (_, form) => {
    expect([401, 422]).toContain((await signIn(form)).status)
  })

  test.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['a boundary that never comes', 'multipart/form-data; boundary=abc', 'x'],
    [
      'a part that never ends',
      'multipart/form-data; boundary=abc',
      '--abc\r\nContent-Disposition: form-data; name="username"\r\n\r\nowner',
    ],
    ['a part without a name', 'multipart/form-data; boundary=abc', '--abc\r\n\r\nowner\r\n--abc--\r\n'],
    [
      'a file',
      'multipart/form-data; boundary=abc',
      '--abc\r\nContent-Disposition: form-data; name="username"; filename="x"\r\n\r\nowner\r\n--abc--\r\n',
    ],
    ['an odd type', 'nonsense', 'username=owner&password=owner-password'],
  ])('with a form with %s is refused', async (_, type, body) => {
    expect((await signIn(body, type)).status).toBe(422)
  })

  test('still works', async () => {
    const { username, password } = target.server
    expect((await signIn(`username=${username}&password=${password}`)).status).toBe(201)
  })
})
