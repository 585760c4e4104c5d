/** Invalid JSON bodies on every route with a body: the error gives the position, and nothing is written. */
import { gzipSync } from 'node:zlib'
import { CONTRACTS } from '@postil/domain/api/all'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblems, expectUnauthorized } from '../answers.ts'
import { SMALL } from '../datasets.ts'
import { fresh } from '../http.ts'
import { toRequest } from '../route-case.ts'
import { datasetOf, expectAlive, openTarget, recordsOf, sendJson, type Target, writesNothing } from './target.ts'

let target: Target
let params: Record<string, string>
beforeAll(async () => {
  target = await openTarget()
  const dataset = await datasetOf(target, SMALL)
  const [record] = await recordsOf(target, dataset, [{ fields: { text: 'An apple' } }])
  params = { dataset_id: dataset.id, record_id: record?.id ?? '', user_id: target.owner.id, workspace_id: target.workspaceId }
})
afterAll(() => target?.close())

const bodyRoutes = CONTRACTS.filter(({ body, bodyType }) => body !== undefined && (bodyType ?? 'json') === 'json')

/** Text, and the offset in characters of its first error. */
const MALFORMED: [text: string, at: number][] = [
  ['{', 1],
  ['}', 0],
  ['{]', 1],
  ['[', 1],
  ['[1,]', 3],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{"a":}', 5],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['{"a":1}}', 7],
  ['{"a":1}{"b":2}', 7],
  ['{"a":1} // no comments', 8],
  ['/* */{"a":1}', 0],
  ['{"a":01}', 6],
  ['{"a":+1}', 5],
  ['{"a":.5}', 5],
  ['{"a":1.}', 7],
  ['{"a":1e}', 7],
  ['{"a":0x10}', 6],
  ['{"a":NaN}', 5],
  ['{"a":Infinity}', 5],
  ['{"a":-Infinity}', 6],
  ['{"a":undefined}', 5],
  ['{"a":True}', 5],
  ['{"a":"unfinished', 16],
  ['{"a":"\n"}', 6],
  ['{"a":"\\x"}', 6],
  ['{"a":"\\u12"}', 6],
  ['{"a":"👍👍"]', 9],
  ['a=1&b=2', 0],
  ['<xml/>', 0],
  ['\u00a0{}', 0],
  ['\0', 0],
  [' ', 1],
]

describe('a body that is not JSON', () => {
  writesNothing(() => target)

  test.each(bodyRoutes)('is refused with the place where it stops to be JSON: $id', async contract => {
    for (const [index, [text, at]] of MALFORMED.entries()) {
      // Alternates between both callers, who must get the same error.
      const answer = await sendJson(index % 2 ? target.owner : target.nobody, toRequest(contract, { params }), text)
      expect([text, answer.status]).toEqual([text, 422])
      expectProblems(answer, [['json_invalid', 'body', at]])
    }
  })
})

const json = '{"name":"encoded"}'
const bytes = (...parts: (string | number[])[]) => new Uint8Array(Buffer.concat(parts.map(part => Buffer.from(part as string))))
const WRONG_BYTES: [what: string, body: Uint8Array<ArrayBuffer>][] = [
  ['UTF-16 with a byte order mark', new Uint8Array(Buffer.from(`\ufeff${json}`, 'utf16le'))],
  ['UTF-16 without', new Uint8Array(Buffer.from(json, 'utf16le'))],
  ['UTF-16, the other way round', new Uint8Array(Buffer.from(json, 'utf16le').swap16())],
  ['Latin-1', new Uint8Array(Buffer.from('{"name":"café"}', 'latin1'))],
  ['a byte that no UTF-8 has', bytes('{"name":"', [0xff], '"}')],
  ['an overlong NUL', bytes('{"name":"', [0xc0, 0x80], '"}')],
  ['an encoded surrogate', bytes('{"name":"', [0xed, 0xa0, 0x80], '"}')],
  ['a character cut in two', bytes('{"name":"', [0xf0, 0x9f, 0x91], '"}')],
  ['a character beyond Unicode', bytes('{"name":"', [0xf4, 0x90, 0x80, 0x80], '"}')],
  ['two byte order marks', bytes('\ufeff\ufeff', json)],
  ['gzip', new Uint8Array(gzipSync(json))],
]

describe('a body in another encoding', () => {
  writesNothing(() => target)

  test.each(WRONG_BYTES)('%s is refused as no JSON', async (_, body) => {
    for (const headers of [{}, { 'content-encoding': 'gzip' }, { 'content-type': 'application/json; charset=utf-16' }]) {
      const answer = await target.owner.send('POST /workspaces', body, { 'content-type': 'application/json', ...headers })
      expectProblems(answer, [['json_invalid', 'body', expect.any(Number) as number]])
    }
  })
})

describe('a body that is JSON all the same', () => {
  test('one byte order mark is ignored', async () => {
    const name = fresh('marked')
    const answer = await sendJson(target.owner, 'POST /workspaces', bytes('\ufeff', JSON.stringify({ name })))
    expect([answer.status, answer.body]).toMatchObject([201, { name }])
  })
})

describe('a body of another type', () => {
  writesNothing(() => target)

  const create = (type: string, caller = target.owner) =>
    caller.send('POST /workspaces', JSON.stringify({ name: 'typed' }), { 'content-type': type })

  // If the content type is not JSON, the body counts as "not an object".
  test.each([
    'text/plain',
    'text/html',
    'application/xml',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-seq',
    'text/json',
    '*/*',
    'nonsense',
    'a/b/c',
    ';;;',
    'application/json, text/plain',
    'json',
  ])('%s is not JSON', async type => {
    expectProblems(await create(type), [['model_attributes_type', 'body']])
    expectUnauthorized(await create(type, target.nobody))
  })

  test.each(['nonsense', ';;;', 'a/b/c'])('%s harms no request that has no body', async type => {
    for (const request of ['GET /me', 'GET /version', 'GET /nothing', 'PUT /me']) {
      const answer = await target.owner.send(request, undefined, { 'content-type': type })
      expect([request, answer.status]).toEqual([request, { 'GET /nothing': 404, 'PUT /me': 405 }[request] ?? 200])
    }
  })
})

const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`

describe('too deep a body', () => {
  writesNothing(() => target)

  const FORMS: [what: string, open: string, close: string][] = [
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['lists that never end', '[', ''],
    ['objects that never end', '{"a":', ''],
  ]
  const cases = FORMS.flatMap(([what, open, close]) => [10_000, 1_000_000].map(depth => ({ what, open, close, depth })))

  test.each(cases)('$depth levels of $what are refused', async ({ open, close, depth }) => {
    const request = `POST /datasets/${params.dataset_id}/records/bulk`
    const answer = await sendJson(target.owner, request, nested(open, close, depth))
    expectProblems(answer, [['json_invalid', 'body', expect.any(Number) as number]])
  })

  test('two million lists in one body are too many', async () => {
    const request = `POST /datasets/${params.dataset_id}/records/bulk`
    const answer = await sendJson(target.owner, request, `[${'[],'.repeat(2_000_001)}[]]`)
    expectProblems(answer, [['json_invalid', 'body', expect.any(Number) as number]])
  })
})

describe('valid requests still work', () => {
  test.each(['application/json', 'APPLICATION/JSON', 'application/json;charset', 'application/ld+json', ''])(
    '%j is JSON',
    async type => {
      const name = fresh('typed')
      const answer = await target.owner.send('POST /workspaces', JSON.stringify({ name }), { 'content-type': type })
      expect([answer.status, answer.body]).toMatchObject([201, { name }])
    },
  )

  test('metadata of 100 levels is kept, of 101 refused', async () => {
    const put = (depth: number) =>
      sendJson(target.owner, `PATCH /records/${params.record_id}`, `{"metadata":{"deep":${nested('[', ']', depth)}}}`)
    const answer = await put(100)
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.stringContaining(nested('[', ']', 100))])
    expectProblems(await put(101), [['value_error', 'body', 'metadata', 'deep']])
    expectProblems(await put(900), [['value_error', 'body', 'metadata', 'deep']])
    await expectAlive(target)
  })
})
