/** Order of writes on PostgreSQL. The queue does not use the database, so the tests run with SQLite. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call, Reply } from '../http/call.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { openParallelQueue, toParallelOptions } from './parallel-queue.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
})
afterAll(() => ctx.close())

/** Identifies calls by request id; each call runs until `end` is called. */
function openQueue(connections: number) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const replied: number[] = []
  const runCall = (_ctx: unknown, { requestId }: Call) =>
    new Promise<Reply>(resolve => {
      begun.push(requestId)
      ends.set(requestId, () => resolve({ status: 200, contentType: null, body: null }))
    })
  const queue = openParallelQueue(ctx, runCall, id => void replied.push(id), toParallelOptions(connections))
  let id = 0
  const push = (requestId: string, urgent: boolean) => queue.push({ id: ++id, urgent, call: { requestId } as Call })
  const end = async (requestId: string) => {
    ends.get(requestId)?.()
    await new Promise(setImmediate)
  }
  return { queue, begun, replied, push, end }
}

test('as many calls run as there are connections but one, and bulks take at most half of them', async () => {
  const { begun, push, end, queue, replied } = openQueue(5)
  for (const name of ['b1', 'b2', 'b3']) push(name, false)
  for (const name of ['u1', 'u2', 'u3']) push(name, true)
  expect(begun).toEqual(['b1', 'b2', 'u1', 'u2'])
  await end('b1')
  // Urgent calls go first, even if a bulk write has just ended.
  expect(begun.slice(4)).toEqual(['u3'])
  await end('u1')
  expect(begun.slice(5)).toEqual(['b3'])
  const drained = queue.drained()
  for (const name of ['b2', 'b3', 'u2', 'u3']) await end(name)
  await drained
  expect(replied).toHaveLength(6)
})

test('a bulk runs also with the fewest connections', async () => {
  const { begun, push, end, queue } = openQueue(2)
  push('b1', false)
  push('u1', true)
  expect(begun).toEqual(['b1'])
  await end('b1')
  expect(begun).toEqual(['b1', 'u1'])
  const drained = queue.drained()
  await end('u1')
  await drained
})
