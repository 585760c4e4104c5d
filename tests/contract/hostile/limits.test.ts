/** Bodies over the limits of their routes, with and without a declared length and credentials; and lists over their limits. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectRefused, expectUnauthorized } from '../answers.ts'
import { type BuiltDataset, draft, first, SMALL } from '../datasets.ts'
import { fresh } from '../http.ts'
import { BODY_LIMIT_MIB } from '../shared-servers.ts'
import { datasetOf, expectAlive, openTarget, recordsOf, sendJson, type Target, unharmed } from './target.ts'

const MIB = 1_048_576
const ANONYMOUS = 65_536
const SIGN_IN = 8_192
const SERVER = BODY_LIMIT_MIB * MIB

let target: Target
let dataset: BuiltDataset
beforeAll(async () => {
  target = await openTarget()
  dataset = await datasetOf(target, SMALL)
})
afterAll(() => target?.close())

/** Returns a body of exactly this many bytes, valid except for its size. */
const sized = (bytes: number, name = fresh('sized')) => JSON.stringify({ name }).padEnd(bytes, ' ')

/** Sends the body in chunks without a declared length. */
async function sendChunked(body: string, key: string | null): Promise<{ status: number; text: string }> {
  const pieces = Array.from({ length: Math.ceil(body.length / 16_384) }, (_, i) =>
    Buffer.from(body.slice(i * 16_384, (i + 1) * 16_384)),
  )
  const response = await fetch(`${target.server.url}/api/v1/workspaces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'x-argilla-api-key': key }) },
    body: Readable.toWeb(Readable.from(pieces)) as ReadableStream,
    duplex: 'half',
  } as RequestInit)
  return { status: response.status, text: await response.text() }
}

function expectTooLarge({ status, text }: { status: number; text: string }, limit: number): void {
  expect([status, text]).toEqual([413, expect.stringContaining(String(limit))])
  expect(JSON.parse(text)).toEqual({ detail: expect.stringMatching(/larger than/) })
}

describe('a body of a declared length', () => {
  test('of exactly the limit is taken', async () => {
    expect((await sendJson(target.owner, 'POST /workspaces', sized(MIB))).status).toBe(201)
  })

  test.each([MIB + 1, 5 * MIB, 50 * MIB])('of %d bytes is too large, and says so', async bytes => {
    await unharmed(target, async () => {
      const answer = await sendJson(target.owner, 'POST /workspaces', sized(bytes))
      expectTooLarge(answer, MIB)
    })
  })

  test.each([
    ['POST /token', SIGN_IN],
    ['POST /session', SIGN_IN],
    ['PATCH /datasets/x', MIB],
    ['POST /records/:record/responses', MIB],
    ['POST /datasets/:dataset/records/search', MIB],
    // These routes have a higher limit than the server.
    ['POST /me/responses/bulk', SERVER],
    ['POST /datasets/:dataset/questions', SERVER],
    ['POST /datasets/:dataset/records/bulk', SERVER],
    ['PUT /datasets/:dataset/records/bulk', SERVER],
    ['PATCH /records/:record', SERVER],
    ['PUT /records/:record/suggestions', SERVER],
  ])('on %s is taken up to %d bytes', async (path, limit) => {
    // The path is checked before the body is read, so the dataset and the record must exist.
    const { id } = first(await recordsOf(target, dataset, [{ fields: { text: 'x' } }]))
    const request = path.replace(':dataset', dataset.id).replace(':record', id)
    const status = (await sendJson(target.owner, request, sized(limit))).status
    // An empty change of a record is valid.
    expect([200, 401, 404, 422]).toContain(status)
    const answer = await sendJson(target.owner, request, sized(limit + 1))
    expectTooLarge(answer, limit)
    // The error mentions the setting only if raising it would help.
    expect(answer.text.includes('SERVICE_BODY_LIMIT')).toBe(limit === SERVER)
    expect(answer.headers.get('connection')).toBe('close')
  })

  test('says nothing of another limit on routes that take no body', async () => {
    const answer = await sendJson(target.owner, 'DELETE /nothing', sized(2 * MIB))
    expect(answer.status).toBe(404)
    await expectAlive(target)
  })
})

describe('a body in pieces', () => {
  test('up to the limit is taken', async () => {
    expect((await sendChunked(sized(MIB), target.owner.key)).status).toBe(201)
  })

  test.each([MIB + 1, 2 * MIB, 20 * MIB])('of %d bytes is too large, and says so', async bytes => {
    await unharmed(target, async () => expectTooLarge(await sendChunked(sized(bytes), target.owner.key), MIB))
  })
})

describe('without credentials', () => {
  test('64 KiB are read before the request is refused', async () => {
    expectUnauthorized(await sendJson(target.nobody, 'POST /workspaces', sized(ANONYMOUS)))
    expect((await sendChunked(sized(ANONYMOUS), null)).status).toBe(401)
    expect((await sendChunked(sized(ANONYMOUS), 'a wrong key')).status).toBe(401)
  })

  test.each([ANONYMOUS + 1, 2 * ANONYMOUS, 5 * MIB])('%d bytes are too many', async bytes => {
    await unharmed(target, async () => {
      expectTooLarge(await sendJson(target.nobody, 'POST /workspaces', sized(bytes)), ANONYMOUS)
      expectTooLarge(await sendChunked(sized(bytes), null), ANONYMOUS)
      expectTooLarge(await sendChunked(sized(bytes), 'a wrong key'), ANONYMOUS)
    })
  })

  test.each([
    ['a long name', `username=${'a'.repeat(MIB)}&password=x`],
    ['separators', 'a&'.repeat(MIB / 2)],
  ])('a form to sign in is no way to send much: %s', async (_, form) => {
    const answer = await target.nobody.send('POST /token', form, { 'content-type': 'application/x-www-form-urlencoded' })
    expectTooLarge(answer, SIGN_IN)
  })

  test('a form of separators within the limit is refused quickly', async () => {
    const form = 'a&'.repeat(SIGN_IN / 2)
    const send = () => target.nobody.send('POST /token', form, { 'content-type': 'application/x-www-form-urlencoded' })
    const answers = await Promise.all(Array.from({ length: 50 }, send))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(422))
    await expectAlive(target)
  })
})

describe('many at once', () => {
  test('twenty bodies over the limit do not keep others from working', async () => {
    const attack = () => sendJson(target.owner, 'POST /workspaces', sized(3 * MIB))
    const attacks = Promise.allSettled(Array.from({ length: 20 }, attack))
    await expectAlive(target)
    const answers = (await attacks).map(result => (result.status === 'fulfilled' ? result.value.status : result.reason))
    expect(answers).toEqual(Array(20).fill(413))
  })
})

describe('lists', () => {
  const fields = { text: 'x' }
  const items = (count: number) => ({ items: Array.from({ length: count }, () => ({ fields })) })

  test.each([
    ['501 records', 'POST', '/records/bulk', 501],
    ['501 records', 'PUT', '/records/bulk', 501],
    ['1001 records', 'POST', '/records', 1001],
  ])('%s are too many for %s %s', async (_, method, path, count) => {
    await unharmed(target, async () => {
      expectProblems(await target.owner.send(`${method} ${dataset.path}${path}`, items(count)), [['too_long', 'body', 'items']])
      expectProblems(await target.owner.send(`${method} ${dataset.path}${path}`, items(0)), [['too_short', 'body', 'items']])
    })
  })

  test('101 responses are too many, 100 are not', async () => {
    const { id } = first(await recordsOf(target, dataset, [{ fields }]))
    const responses = (count: number) => ({ items: Array.from({ length: count }, () => ({ record_id: id, ...draft() })) })
    await unharmed(target, async () => {
      expectProblems(await target.owner.send('POST /me/responses/bulk', responses(101)), [['too_long', 'body', 'items']])
    })
    expect((await target.owner.send('POST /me/responses/bulk', responses(100))).status).toBe(200)
  })

  test('101 ids are too many, also when they are the same', async () => {
    const { id } = first(await recordsOf(target, dataset, [{ fields }]))
    const ids = (count: number) => Array(count).fill(id).join(',')
    await unharmed(target, async () => {
      expectRefused(await target.owner.send(`DELETE ${dataset.path}/records?ids=${ids(101)}`))
      expectRefused(await target.owner.send(`DELETE /records/${id}/suggestions?ids=${ids(101)}`))
      for (const bad of ['', ',', `${id},`, `${id},x`, `${id};${id}`]) {
        expectRefused(await target.owner.send(`DELETE ${dataset.path}/records?ids=${bad}`))
      }
    })
    expect((await target.owner.send(`DELETE ${dataset.path}/records?ids=${ids(100)}`)).status).toBe(204)
  })

  test('a thousand workspaces that do not exist are refused, and more are too many', async () => {
    const create = (count: number) => {
      const workspaces = Array.from({ length: count }, (_, i) => `w${i}`)
      return target.owner.send('POST /users', {
        first_name: 'x',
        username: fresh('user'),
        password: 'a long password',
        workspaces,
      })
    }
    await unharmed(target, async () => {
      expectRefused(await create(1_000))
      expectProblems(await create(1_001), [['too_long', 'body', 'workspaces']])
    })
  })
})
