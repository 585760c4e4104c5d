import { once } from 'node:events'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CONTRACTS } from '@postil/domain/api/all'
import { DomainError } from '@postil/domain/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyLimitOf, readBody } from './body.ts'
import { BodyBudget } from './body-budget.ts'

const MIB = 1_048_576
const SERVER = 64 * MIB

describe('the largest body of a route', () => {
  const OTHERS: Record<string, number> = {
    createToken: 8_192,
    createSession: 8_192,
    createOAuthSession: 8_192,
    createUser: 65_536,
    updateUser: 65_536,
    changeMyPassword: 65_536,
    createInvitation: 65_536,
    lookUpInvitation: 8_192,
    acceptInvitation: 8_192,
    createRecordsBulk: SERVER,
    upsertRecordsBulk: SERVER,
    createRecords: SERVER,
    updateRecords: SERVER,
    updateRecord: SERVER,
    upsertSuggestion: SERVER,
    createSuggestion: SERVER,
    upsertMyResponsesBulk: 8 * MIB,
    createField: 8 * MIB,
    updateField: 8 * MIB,
    createQuestion: 8 * MIB,
    updateQuestion: 8 * MIB,
    addQuestionOptions: 8 * MIB,
    createExport: 262_144,
    streamExport: 262_144,
    putUploadContent: 8 * MIB,
  }
  const withBody = CONTRACTS.filter(({ body }) => body !== undefined)

  test('is 1 MiB, with these exceptions', () => {
    const limits = withBody.map(contract => [contract.id, bodyLimitOf(contract, { isKnown: true, serverBytes: SERVER }).bytes])
    expect(Object.fromEntries(limits.filter(([, bytes]) => bytes !== MIB))).toEqual(OTHERS)
  })

  test.each([
    { isKnown: true, serverBytes: 1_024, most: 1_024 },
    { isKnown: false, serverBytes: SERVER, most: 65_536 },
  ])('is never more than $most with %j', ({ most, ...given }) => {
    for (const contract of withBody) {
      const { bytes } = bodyLimitOf(contract, given)
      expect([contract.id, bytes]).toEqual([contract.id, Math.min(most, OTHERS[contract.id] ?? MIB)])
    }
  })

  test.each([
    {
      contract: { auth: true, largeBody: true },
      isKnown: true,
      advice: /^the limit of this server.*fewer records.*SERVICE_BODY_LIMIT/,
    },
    { contract: { auth: true }, isKnown: true, advice: /^the limit of this route\.$/ },
    { contract: { auth: true, largeBody: true }, isKnown: false, advice: /^the limit for requests without valid credentials\.$/ },
    { contract: { auth: false, bodyBytesMax: 8_192 }, isKnown: false, advice: /^the limit of this route\.$/ },
    {
      contract: { auth: true, bodyBytesMax: 2 * SERVER },
      isKnown: true,
      advice: /^the limit of this server\. Send less, or raise/,
    },
  ])('$advice', ({ contract, isKnown, advice }) => {
    expect(bodyLimitOf(contract, { isKnown, serverBytes: SERVER }).advice).toMatch(advice)
  })
})

describe('reading', () => {
  const budget = new BodyBudget({ totalBytes: 1_000_000, shareBytes: 600_000 })
  let read: (request: IncomingMessage) => Promise<Uint8Array | null>
  let outcome: Promise<Uint8Array | null>
  const server = createServer(async (request, response) => {
    outcome = read(request)
    const status = await outcome.then(() => 200).catch((error: DomainError) => (error.code === 'too_large' ? 413 : 429))
    response.writeHead(status).end()
  })
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Sends the pieces and resolves to the response status. */
  async function upload(pieces: string[], { declared = false, limit = 500_000 } = {}) {
    const account = budget.open('lena')
    read = request => readBody(request, { bytes: limit, advice: 'the limit.' }, account)
    const { port } = server.address() as AddressInfo
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const sent = send({ port, host: '127.0.0.1', method: 'POST', headers: declared ? { 'content-length': length } : {} })
    sent.on('error', () => {})
    const answered = once(sent, 'response')
    for (const piece of pieces) sent.write(piece)
    sent.end()
    const [{ statusCode }] = (await answered) as [IncomingMessage]
    const body = await outcome.catch(() => null)
    return { status: statusCode, text: body && new TextDecoder().decode(body), body, account }
  }

  test.each([
    { pieces: [''], declared: true },
    { pieces: ['a'], declared: true },
    { pieces: ['a'.repeat(100_000), 'b'.repeat(99_999), 'c'], declared: true },
    { pieces: ['a'.repeat(500_000)], declared: true },
    { pieces: ['a'], declared: false },
    { pieces: ['a'.repeat(100_000), 'b'.repeat(99_999), 'c'], declared: false },
    { pieces: ['a'.repeat(500_000)], declared: false },
  ])('gives exactly what was sent, in memory of its own', async ({ pieces, declared }) => {
    const { text, body, account } = await upload(pieces, { declared })
    expect(text ?? '').toBe(pieces.join(''))
    if (body) expect([body.byteOffset, body.buffer.byteLength]).toEqual([0, body.length])
    // The budget counts all of it; if the length was declared, exactly that length.
    expect(budget.usedBytes).toBeGreaterThanOrEqual(pieces.join('').length)
    if (declared) expect(budget.usedBytes).toBe(pieces.join('').length)
    expect(budget.usedBytes).toBeLessThanOrEqual(500_000)
    account.release()
    expect(budget.usedBytes).toBe(0)
  })

  test.each([true, false])('refuses one byte too many, declared: %s, and keeps nothing of it', async declared => {
    expect((await upload(['a'.repeat(500_000), 'b'], { declared })).status).toBe(413)
    expect(budget.usedBytes).toBe(0)
  })

  test('refuses what exceeds the share of the user, and keeps nothing of it', async () => {
    const other = budget.open('lena')
    other.take(200_000)
    expect((await upload(['a'.repeat(400_001)], { declared: true })).status).toBe(429)
    expect(budget.usedBytes).toBe(200_000)
    other.release()
  })

  test('a declared length alone takes no memory', async () => {
    const account = budget.open('lena')
    read = request => readBody(request, { bytes: 500_000, advice: '' }, account)
    const { port } = server.address() as AddressInfo
    const sent = send({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': 400_000 } })
    sent.on('error', () => {})
    sent.write('a'.repeat(100))
    await once(server, 'request')
    await expect.poll(() => budget.usedBytes).toBeGreaterThan(0)
    expect(budget.usedBytes).toBeLessThanOrEqual(16_384)
    sent.destroy()
    await expect(outcome).rejects.toThrow(DomainError)
    account.release()
  })
})
