/** Long and unusual paths, unsupported methods, and duplicate host headers. */
import { METHODS } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HANG_MS, measured } from '../server-work.ts'
import { closeConnections, openConnection, requestText } from './raw-socket.ts'
import { expectAlive, openTarget, type Target, within } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterEach(closeConnections)
afterAll(() => target?.close())

async function ask(text: string, count = 1) {
  const connection = await openConnection(target)
  connection.write(text)
  const answers = await connection.answers(count, 30_000)
  const [answer] = answers
  const header = (name: string) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(answer?.headers ?? '')?.[1]
  return { status: answer?.status, body: answer?.body ?? '', header, ended: connection.ended }
}

describe('a path', () => {
  const start = '/api/v1/datasets/'

  test.each([
    [2_048, 422],
    [2_049, 414],
    [15_000, 414],
  ])('of %d characters is answered with %d', async (length, status) => {
    const path = start.padEnd(length, 'a')
    const answer = await ask(requestText(`GET ${path}`, [`X-Argilla-Api-Key: ${target.owner.key}`]))
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { detail: expect.anything() }])
    if (status === 414) expect(answer.body).toContain('2048')
  })

  test('may have a query as well', async () => {
    expect((await ask(requestText(`GET /api/v1/version?${'a'.repeat(8_000)}`))).status).toBe(200)
  })

  test.each([
    ['a wrong escape', '/%zz', 404],
    ['a wrong escape in a long path', `/%zz${'a'.repeat(3_000)}`, 414],
    ['escaped slashes', `/${'%2f'.repeat(1_000)}`, 414],
    ['many steps up', `/${'../'.repeat(600)}`, 404],
    ['too many steps up', `/${'../'.repeat(2_000)}`, 414],
    ['a long name of a file', `/assets/${'a'.repeat(3_000)}.js`, 414],
  ])('with %s is refused as JSON', async (_, path, status) => {
    const answer = await ask(requestText(`GET ${path}`))
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { detail: expect.any(String) }])
    expect([answer.header('cache-control'), answer.header('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
  })

  test('of slashes keeps nobody waiting', async () => {
    const path = `/${'/'.repeat(15_900)}a/`
    const attack = () => Promise.all(Array.from({ length: 60 }, () => ask(requestText(`GET ${path}`))))
    const { result: answers, ms } = await measured(target.server, () => within(HANG_MS, attack()))
    expect(ms).toBeLessThan(2_000)
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(414))
    await expectAlive(target)
  })

  test.each([
    ['/api/v1/me/', '/api/v1/me'],
    ['/api/v1/me////', '/api/v1/me'],
    [`/api/v1/me${'/'.repeat(100)}`, '/api/v1/me'],
    ['/api/v1/me/?a=b/', '/api/v1/me?a=b/'],
    ['//evil.example/', undefined],
    ['//evil.example/api/v1/me/', undefined],
    ['//api/v1/me/', undefined],
    ['/\\evil.example/', undefined],
    ['/.//evil.example/', undefined],
    ['http://evil.example/api/v1/me/', undefined],
    ['/', undefined],
    ['//', undefined],
  ])('%s leads to %s', async (path, location) => {
    const answer = await ask(requestText(`GET ${path}`))
    expect([answer.status === 307, answer.header('location')]).toEqual([location !== undefined, location])
  })
})

describe('a method', () => {
  // CONNECT does not request a path, and responses to HEAD have no body.
  const strange = METHODS.filter(method => !['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'CONNECT'].includes(method))

  test.each(strange)('%s is not allowed where others are, and not found elsewhere', async method => {
    const before = target.server.output()
    for (const headers of [[], ['Content-Type: application/json', 'Content-Length: 2'], ['Content-Type: nonsense']]) {
      const body = headers.length > 1 ? '{}' : ''
      const known = await ask(requestText(`${method} /api/v1/datasets`, headers, body))
      expect([known.status, known.header('allow')]).toEqual([405, 'GET, POST'])
      expect(JSON.parse(known.body)).toEqual({ detail: 'Method Not Allowed' })
      const unknown = await ask(requestText(`${method} /api/v1/nothing`, headers, body))
      expect(unknown.status).toBe(404)
    }
    expect(target.server.output()).toBe(before)
  })

  test('HEAD is not allowed where others are', async () => {
    const { status, headers, text } = await target.owner.send('HEAD /datasets')
    expect([status, headers.get('allow'), text]).toEqual([405, 'GET, POST', ''])
  })

  test('CONNECT finds nothing', async () => {
    const { status, body } = await ask('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n')
    expect([status, body]).toEqual([404, '{"detail":"Not Found"}'])
  })
})

describe('a host', () => {
  test.each([
    ['twice', ['Host: evil.example']],
    ['twice, the same', ['Host: localhost']],
    ['twice, in other letters', ['hOST: localhost']],
    ['three times', ['Host: a', 'Host: b']],
  ])('%s is refused, and the connection ended', async (_, hosts) => {
    for (const path of ['/api/v1/version', '/api/v1/nothing', '/sign-in', '/%zz']) {
      const { status, body, header, ended } = await ask(requestText(`GET ${path}`, hosts))
      expect([status, JSON.parse(body)]).toEqual([400, { detail: expect.stringContaining('Host') }])
      expect(header('content-type')).toMatch(/^application\/json/)
      expect(await ended()).toBe(true)
    }
  })
})

describe('what cannot be read', () => {
  test.each([
    ['400', 'nonsense\r\n\r\n'],
    ['400', requestText('GET /api/v1/version', ['Content-Length: x'])],
    ['431', requestText('GET /api/v1/version', [`X-A: ${'a'.repeat(20_000)}`])],
    ['417', requestText('POST /api/v1/workspaces', ['Content-Length: 2', 'Expect: pizza'])],
  ])('is answered with %s as JSON', async (status, text) => {
    const answer = await ask(text)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([Number(status), { detail: expect.any(String) }])
    expect(answer.header('content-type')).toMatch(/^application\/json/)
    expect(answer.header('cache-control')).toBe('no-store')
  })
})

describe('responses are not cached', () => {
  test.each([
    ['GET /api/v1/me', 200],
    ['GET /api/v1/version', 200],
    ['GET /api/v1/me/', 307],
    ['GET /api/v1/nothing', 404],
    ['PUT /api/v1/me', 405],
    ['GET /api/v1/datasets/x', 422],
    ['GET /%61pi/v1/me', 200],
  ])('%s: %d', async (line, status) => {
    const answer = await ask(requestText(line, [`X-Argilla-Api-Key: ${target.owner.key}`, 'Content-Length: 0']))
    expect([answer.status, answer.header('cache-control')]).toEqual([status, 'no-store'])
  })
})
