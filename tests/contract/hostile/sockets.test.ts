/** HTTP that is malformed, ambiguous, slow or incomplete: such connections are limited and do not affect others. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fresh } from '../http.ts'
import { HANG_MS } from '../server-work.ts'
import { closeConnections, openConnection, type RawConnection, requestText } from './raw-socket.ts'
import { expectAlive, openTarget, type Target, unharmed, within, writesNothing } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterEach(closeConnections)
afterAll(() => target?.close())

const key = () => `X-Argilla-Api-Key: ${target.owner.key}`
const CREATE = 'POST /api/v1/workspaces'
const VERSION = 'GET /api/v1/version'
const name = '{"name":"smuggled"}'

async function attack(text: string | Uint8Array, count = 1, milliseconds?: number) {
  const connection = await openConnection(target)
  connection.write(text)
  const answers = await connection.answers(count, milliseconds)
  return { answers, statuses: answers.map(({ status }) => status), ended: connection.ended }
}

describe('a request that may be read in two ways is refused, and its connection ended', () => {
  writesNothing(() => target)

  test.each<[string, () => string]>([
    ['two lengths', () => requestText(CREATE, [key(), 'Content-Length: 2', `Content-Length: ${name.length}`], name)],
    ['one length twice', () => requestText(CREATE, [key(), 'Content-Length: 19', 'Content-Length: 19'], name)],
    ['a list of lengths', () => requestText(CREATE, [key(), 'Content-Length: 19, 19'], name)],
    ['a length that is none', () => requestText(CREATE, [key(), 'Content-Length: abc'], name)],
    ['a negative length', () => requestText(CREATE, [key(), 'Content-Length: -1'], name)],
    ['a length with a sign', () => requestText(CREATE, [key(), 'Content-Length: +19'], name)],
    ['a length in hexadecimal', () => requestText(CREATE, [key(), 'Content-Length: 0x13'], name)],
    ['a length beyond all numbers', () => requestText(CREATE, [key(), `Content-Length: ${'9'.repeat(40)}`], name)],
    [
      'a length and chunks',
      () => requestText(CREATE, [key(), 'Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\nGET /'),
    ],
    ['chunks that are not last', () => requestText(CREATE, [key(), 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n')],
    ['an unknown transfer encoding', () => requestText(CREATE, [key(), 'Transfer-Encoding: xchunked'], '0\r\n\r\n')],
    ['a chunk of no size', () => requestText(CREATE, [key(), 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')],
    ['a chunk of too large a size', () => requestText(CREATE, [key(), 'Transfer-Encoding: chunked'], `${'f'.repeat(40)}\r\n`)],
    ['a blank before the colon', () => requestText(CREATE, [key(), 'Content-Length : 19'], name)],
    ['a folded header', () => requestText(CREATE, [key(), 'X-A: a', ' Content-Length: 19'], name)],
    ['line feeds alone', () => requestText(VERSION).replaceAll('\r\n', '\n')],
    ['a NUL in a header', () => requestText(VERSION, ['X-A: a\0b'])],
    ['a header without a name', () => requestText(VERSION, [': a'])],
    ['no host', () => `${VERSION} HTTP/1.1\r\n\r\n`],
    ['an unknown method', () => requestText('BREW /api/v1/me')],
    ['a path with a blank', () => requestText('GET /api/v1/me or 1=1')],
    ['another version of HTTP', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s', async (_, text) => {
    const { statuses, ended } = await attack(text())
    expect([statuses, await ended()]).toEqual([[400], true])
  })

  test('data after a refused request is not read', async () => {
    const hidden = requestText(CREATE, [key(), `Content-Length: ${name.length}`], name)
    const { statuses, ended } = await attack(
      requestText(CREATE, [key(), 'Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`),
      2,
      500,
    )
    expect([statuses, await ended()]).toEqual([[400], true])
  })

  test('a body that looks like a request is a body', async () => {
    const hidden = requestText(CREATE, [key(), `Content-Length: ${name.length}`], name)
    for (const line of [VERSION, CREATE]) {
      const first = requestText(line, [`Content-Length: ${hidden.length}`, 'Content-Type: application/json'], hidden)
      const { statuses } = await attack(first + requestText(VERSION), 2)
      expect([line, statuses]).toEqual([line, [line === VERSION ? 200 : 422, 200]])
    }
  })
})

describe('headers', () => {
  test.each<[string, () => string[]]>([
    ['one of 100 KB', () => [`X-A: ${'a'.repeat(100_000)}`]],
    ['10,000 of them', () => Array.from({ length: 10_000 }, (_, i) => `X-${i}: a`)],
    ['a key of 100 KB', () => [`X-Argilla-Api-Key: ${'a'.repeat(100_000)}`]],
    ['a token of 100 KB', () => [`Authorization: Bearer ${'a'.repeat(100_000)}`]],
  ])('%s are too large, and the answer says so', async (_, headers) => {
    const { statuses } = await attack(requestText('GET /api/v1/me', headers()))
    expect(statuses).toEqual([431])
    await expectAlive(target)
  })

  test('an address of 100 KB is refused', async () => {
    const { statuses } = await attack(requestText(`GET /api/v1/datasets?name=${'a'.repeat(100_000)}`, [key()]))
    expect([[414], [431]]).toContainEqual(statuses)
    await expectAlive(target)
  })

  test('an unknown expectation is refused, the standard one is met', async () => {
    expect((await attack(requestText(CREATE, [key(), 'Content-Length: 2', 'Expect: pizza']))).statuses).toEqual([417])
    const { answers } = await attack(requestText(CREATE, [key(), 'Content-Length: 4', 'Expect: 100-continue'], '{]  '), 2)
    expect(answers.map(({ status }) => status)).toEqual([100, 422])
  })
})

describe('many requests on one connection', () => {
  test('are answered in order, whatever each one is', async () => {
    const bad = '{"name":'
    const text = [
      requestText('GET /api/v1/me', [key()]),
      requestText(CREATE, [key(), `Content-Length: ${bad.length}`, 'Content-Type: application/json'], bad),
      requestText('GET /api/v1/nothing'),
      requestText('PUT /api/v1/me', ['Content-Length: 0']),
      requestText('GET /api/v1/me'),
      requestText(VERSION),
    ].join('')
    expect((await attack(text, 6)).statuses).toEqual([200, 422, 404, 405, 401, 200])
  })

  test('a thousand at once get a thousand answers', async () => {
    const { statuses } = await attack(requestText(VERSION).repeat(1_000), 1_000, 5_000)
    expect([statuses.length, new Set(statuses)]).toEqual([1_000, new Set([200])])
    await expectAlive(target)
  })

  test('after a body that is too large there is no next one', async () => {
    await unharmed(target, async () => {
      const hidden = requestText(CREATE, [key(), `Content-Length: ${name.length}`], name)
      const { answers, ended } = await attack(requestText(CREATE, [key(), 'Content-Length: 2000000'], hidden), 2, 2_000)
      expect([answers.map(({ status }) => status), await ended()]).toEqual([[413], true])
      expect(answers[0]?.body).toContain('1048576')
    })
  })

  test('the same without a declared length', async () => {
    await unharmed(target, async () => {
      const connection = await openConnection(target)
      connection.write(requestText(CREATE, [key(), 'Transfer-Encoding: chunked']))
      for (let i = 0; i < 300 && !connection.closed(); i++) {
        connection.write(`2000\r\n${' '.repeat(8_192)}\r\n`)
        if (i % 20 === 0) await pause(1)
      }
      const answers = await connection.answers(1, 30_000)
      expect(answers.map(({ status, body }) => [status, body.includes('1048576')])).toEqual([[413, true]])
      connection.destroy()
    })
  })
})

describe('half of a request', () => {
  writesNothing(() => target)

  const HALVES: [what: string, text: () => string][] = [
    ['a method', () => 'POS'],
    ['a line', () => `${CREATE} HTTP/1.1\r\n`],
    ['headers', () => requestText(CREATE, [key()]).slice(0, -2)],
    ['a body', () => requestText(CREATE, [key(), `Content-Length: ${name.length}`], name.slice(0, 9))],
    ['a body in pieces', () => requestText(CREATE, [key(), 'Transfer-Encoding: chunked'], '5\r\n{"na')],
    ['a body of which nothing came', () => requestText(CREATE, [key(), `Content-Length: ${name.length}`])],
  ]

  test.each(HALVES)('%s: a hundred connections that stop there keep nobody waiting', async (_, text) => {
    const connections: RawConnection[] = await Promise.all(Array.from({ length: 100 }, () => openConnection(target)))
    for (const connection of connections) connection.write(text())
    await pause(50)
    await expectAliveWithoutWriting()
    for (const connection of connections) connection.destroy()
  })

  test.each(HALVES)('%s: a connection that breaks there is not a server error', async (_, text) => {
    const before = target.server.output().length
    for (let i = 0; i < 5; i++) {
      const connection = await openConnection(target)
      connection.write(text())
      await pause(20)
      connection.socket.resetAndDestroy()
    }
    await pause(100)
    expect(target.server.output().slice(before)).not.toMatch(/"level":[56]0/)
  })
})

describe('slow clients', () => {
  test('what comes slowly, one byte after the other, is answered in the end', async () => {
    const slow = fresh('slow')
    const body = JSON.stringify({ name: slow })
    const connection = await openConnection(target)
    for (const byte of requestText(CREATE, [key(), `Content-Length: ${body.length}`], body)) {
      connection.write(byte)
      await pause(1)
    }
    const [answer] = await connection.answers(1, 30_000)
    expect([answer?.status, JSON.parse(answer?.body ?? '{}')]).toMatchObject([201, { name: slow }])
    connection.destroy()
  })

  test('a client that never reads its answers keeps nobody waiting', async () => {
    const connection = await openConnection(target)
    connection.socket.pause()
    connection.write(requestText('GET /api/v1/openapi.json').repeat(200))
    await pause(200)
    await expectAlive(target)
    connection.destroy()
  })
})

async function expectAliveWithoutWriting(): Promise<void> {
  expect((await within(HANG_MS, target.owner.send('GET /me'))).status).toBe(200)
  expect((await within(HANG_MS, target.owner.send('GET /datasets'))).status).toBe(200)
}
