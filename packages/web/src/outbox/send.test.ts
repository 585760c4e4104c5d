import { afterEach, expect, test, vi } from 'vitest'
import { createApi } from '../api.ts'
import { sendWrites, TemporaryError } from './send.ts'
import { makeWrite } from './testing/outbox-kit.ts'

const write = makeWrite('w1', 'r1', 'submitted', 1)

const answerWith = (status: number) =>
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ detail: 'no' }), { status }))

afterEach(() => void vi.unstubAllGlobals())

test.each([429, 500, 503, 507])('an answer is kept and sent again after a %d', async status => {
  answerWith(status)
  await expect(sendWrites(createApi(), [write])).rejects.toBeInstanceOf(TemporaryError)
})

test.each([404, 422])('a %d is a refusal', async status => {
  answerWith(status)
  expect(await sendWrites(createApi(), [write])).toMatchObject([{ refusal: { kind: 'refused', message: 'no' } }])
})

const answerItem = (error: object) =>
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ items: [{ item: null, error }] }), { status: 200 }))

test('the place of a refused value comes from the answer, not from its text', async () => {
  const at = ['values', 'a.b: c', 'value']
  answerItem({ detail: `at ${at.join('.')}: at once: wrong`, code: 'unprocessable', at })
  expect(await sendWrites(createApi(), [write])).toMatchObject([
    { refusal: { kind: 'refused', message: 'at once: wrong', code: 'unprocessable', at } },
  ])
})

test('a value of the wrong shape is refused at its question', async () => {
  const errors = [{ type: 'string_type', loc: ['body', 'items', 0, 'submitted', 'values', 'mood', 'value'], msg: 'Not a text' }]
  const body = { detail: { code: 'argilla.api.errors::ValidationError', params: { errors } } }
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status: 422 }))
  expect(await sendWrites(createApi(), [write])).toMatchObject([
    { refusal: { kind: 'refused', message: 'Not a text', code: 'unprocessable', at: ['values', 'mood', 'value'] } },
  ])
})

test.each([
  { server: 'this', place: { code: 'conflict', at: [] } },
  { server: 'an older', place: {} },
])('a conflict of $server server comes with the response that stands there', async ({ place }) => {
  const response = { id: 'r', status: 'submitted', values: {} }
  answerItem({ detail: { code: 'conflict', message: 'changed', response }, ...place })
  expect(await sendWrites(createApi(), [write])).toMatchObject([
    { refusal: { kind: 'conflict', message: 'changed', current: response } },
  ])
})

test('answers of a deactivated account wait', async () => {
  const detail = { code: 'argilla.api.errors::UnauthorizedError', params: { detail: 'deactivated' } }
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ detail, code: 'deactivated' }), { status: 401 }))
  await expect(sendWrites(createApi(), [write])).rejects.toBeInstanceOf(TemporaryError)
})
