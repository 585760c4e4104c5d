import { afterEach, expect, test, vi } from 'vitest'
import { createApi } from '../api.ts'
import { sendWrites, Unreachable } from './send.ts'
import { makeWrite } from './testing/outbox-kit.ts'

const write = makeWrite('w1', 'r1', 'submitted', 1)

const answerWith = (status: number) =>
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ detail: 'no' }), { status }))

afterEach(() => void vi.unstubAllGlobals())

test.each([429, 500, 503, 507])('an answer is kept and sent again after a %d', async status => {
  answerWith(status)
  await expect(sendWrites(createApi(), [write])).rejects.toBeInstanceOf(Unreachable)
})

test.each([404, 422])('a %d is a refusal', async status => {
  answerWith(status)
  expect(await sendWrites(createApi(), [write])).toMatchObject([{ refusal: { kind: 'refused', message: 'no' } }])
})
