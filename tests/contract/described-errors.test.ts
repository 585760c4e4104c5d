/** Checks every error response against the OpenAPI description. */
import type { OpenApiDocument, OpenApiResponse, OpenApiSchema } from '@postil/domain/api/openapi'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type BuiltDataset, first, SMALL } from './datasets.ts'
import { closeConnections, openConnection, requestText } from './hostile/raw-socket.ts'
import { datasetOf, openTarget, recordsOf, type Target } from './hostile/target.ts'
import { aUser, type Caller, fresh, NO_ID } from './http.ts'

let target: Target
let dataset: BuiltDataset
let annotator: Caller
let document: OpenApiDocument
beforeAll(async () => {
  target = await openTarget()
  dataset = await datasetOf(target, SMALL)
  annotator = await aUser(target.server.url, target.owner, 'annotator')
  document = await target.nobody.done<OpenApiDocument>('GET /openapi.json')
})
afterEach(closeConnections)
afterAll(() => target?.close())

interface Refusal {
  status: number
  contentType: string | null
  body: unknown
}

interface Case {
  status: number
  /** Method of the operation. */
  method: string
  path: string
  as?: 'owner' | 'annotator' | 'nobody'
  request?: () => string
  body?: unknown
  headers?: Record<string, string>
  /** Lines to send over a plain socket instead. */
  raw?: string[]
  /** The response component that describes the error. */
  described: 'Unauthorized' | 'Forbidden' | 'NotFound' | 'Unprocessable' | 'OtherError'
}

const FOREIGN = { 'sec-fetch-site': 'cross-site' }
const WRONG = { username: 'nobody', password: 'a wrong password' }
const byFilter = '/api/v1/me/datasets/{dataset_id}/responses/by-filter'

const CASES: Case[] = [
  { status: 401, method: 'post', path: '/api/v1/session', as: 'nobody', body: WRONG, described: 'Unauthorized' },
  {
    status: 401,
    method: 'post',
    path: '/api/v1/token',
    as: 'nobody',
    body: new URLSearchParams(WRONG),
    described: 'Unauthorized',
  },
  { status: 401, method: 'get', path: '/api/v1/me', as: 'nobody', described: 'Unauthorized' },
  { status: 403, method: 'post', path: '/api/v1/session', as: 'nobody', body: WRONG, headers: FOREIGN, described: 'Forbidden' },
  { status: 403, method: 'delete', path: '/api/v1/session', as: 'nobody', headers: FOREIGN, described: 'Forbidden' },
  { status: 403, method: 'post', path: '/api/v1/workspaces', as: 'annotator', body: { name: 'mine' }, described: 'Forbidden' },
  { status: 404, method: 'get', path: '/api/v1/records/{record_id}', request: () => `/records/${NO_ID}`, described: 'NotFound' },
  { status: 409, method: 'post', path: '/api/v1/workspaces', body: { name: 'default' }, described: 'OtherError' },
  { status: 409, method: 'get', path: '/api/v1/me', headers: { 'x-postil-user': NO_ID }, described: 'OtherError' },
  {
    status: 409,
    method: 'post',
    path: byFilter,
    request: () => `/me/datasets/${dataset.id}/responses/by-filter`,
    described: 'OtherError',
  },
  {
    status: 410,
    method: 'get',
    path: '/api/v1/datasets/{dataset_id}/events',
    request: () => `/datasets/${dataset.id}/events?after=1000000`,
    described: 'OtherError',
  },
  { status: 413, method: 'post', path: '/api/v1/workspaces', body: ' '.repeat(1_048_577), described: 'OtherError' },
  { status: 413, method: 'post', path: '/api/v1/token', as: 'nobody', body: ' '.repeat(8_193), described: 'OtherError' },
  {
    status: 414,
    method: 'get',
    path: '/api/v1/records/{record_id}',
    request: () => `/records/${'a'.repeat(3_000)}`,
    described: 'OtherError',
  },
  { status: 422, method: 'post', path: '/api/v1/session', as: 'nobody', body: {}, described: 'Unprocessable' },
  {
    status: 422,
    method: 'post',
    path: '/api/v1/token',
    as: 'nobody',
    body: 'a&'.repeat(200),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    described: 'Unprocessable',
  },
  { status: 400, method: 'get', path: '/api/v1/version', raw: ['Host: localhost'], described: 'OtherError' },
  { status: 400, method: 'get', path: '/api/v1/version', raw: ['Content-Length: x'], described: 'OtherError' },
  { status: 431, method: 'get', path: '/api/v1/version', raw: [`X-A: ${'a'.repeat(20_000)}`], described: 'OtherError' },
]

async function send({ method, path, as = 'owner', request, body, headers, raw }: Case): Promise<Refusal> {
  if (raw) {
    const connection = await openConnection(target)
    connection.write(requestText(`${method.toUpperCase()} ${path}`, raw))
    const answer = first(await connection.answers(1, 30_000))
    const contentType = /^content-type: (.*)\r$/im.exec(answer.headers)?.[1] ?? null
    return { status: answer.status, contentType, body: JSON.parse(answer.body) }
  }
  const sender = as === 'annotator' ? annotator : target[as]
  const given = path === byFilter ? await conflicting() : body
  const answer = await sender.send(`${method.toUpperCase()} ${request?.() ?? path}`, given, headers)
  return { status: answer.status, contentType: answer.headers.get('content-type'), body: answer.body }
}

/** Returns a bulk job for fewer records than expected. */
async function conflicting(): Promise<object> {
  const { id } = first(await recordsOf(target, dataset, [{ fields: { text: 'a' }, external_id: fresh('record') }]))
  return { record_ids: [id], expected_total: 2, action: { type: 'return_to_pending' } }
}

test.each(CASES)('$status of $method $path', async testCase => {
  const refusal = await send(testCase)
  expect(refusal).toMatchObject({ status: testCase.status, contentType: expect.stringMatching(/^application\/json\b/) })
  const responses = document.paths[testCase.path]?.[testCase.method]?.responses
  const described = responses?.[testCase.status] ?? responses?.default
  const name = String((described as { $ref?: string })?.$ref?.split('/').at(-1))
  expect(name).toBe(testCase.described)
  const response = document.components.responses[name] as Exclude<OpenApiResponse, { $ref: string }>
  expect(misfits(response.content?.['application/json']?.schema ?? { const: 'not described' }, refusal.body)).toEqual([])
})

/** Lists the places where a value does not match its schema. Supports the keywords of the error schemas. */
function misfits(schema: OpenApiSchema, value: unknown, at = ''): string[] {
  const { $ref, anyOf, type, properties, required, items } = schema as {
    $ref?: string
    anyOf?: OpenApiSchema[]
    type?: string | string[]
    properties?: Record<string, OpenApiSchema>
    required?: string[]
    items?: OpenApiSchema
  }
  if ($ref !== undefined) return misfits(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? { const: $ref }, value, at)
  if (anyOf !== undefined) {
    const all = anyOf.map(one => misfits(one, value, at))
    return all.some(one => one.length === 0) ? [] : all.flat()
  }
  if ('const' in schema && schema.const !== value) return [`${at} is not ${schema.const}`]
  if (type !== undefined && ![type].flat().includes(typeOf(value))) return [`${at} is not of type ${type}`]
  const keys = (value ?? {}) as Record<string, unknown>
  return [
    ...(required ?? []).filter(key => !Object.hasOwn(keys, key)).map(key => `${at}.${key} is missing`),
    ...Object.entries(properties ?? {}).flatMap(([key, part]) => (key in keys ? misfits(part, keys[key], `${at}.${key}`) : [])),
    ...(items && Array.isArray(value) ? value.flatMap((item, i) => misfits(items, item, `${at}.${i}`)) : []),
  ]
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
