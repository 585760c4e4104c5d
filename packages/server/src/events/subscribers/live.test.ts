import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import type { Notice } from '../emit.ts'
import { type LiveBatch, openLive } from './live.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
})
afterAll(() => ctx.close())

const open = (...watched: string[]) => {
  const batches: LiveBatch[] = []
  const live = openLive(batch => void batches.push(batch))
  live.watch(watched)
  const tell = (notices: Notice[], heads: [string, number][] = []) =>
    live.tell?.(ctx, { events: [], notices, heads: new Map(heads) })
  const settled = async () => {
    await setTimeout(100)
    return batches
  }
  return { tell, settled }
}

const changed = (dataset_id: string): Notice => ({
  name: 'response-changed',
  dataset_id,
  user_id: 'ann',
  data: { record_id: 'r1', status: 'draft', updated_at: '' },
})

test('nothing is collected for datasets that nobody watches', async () => {
  const { tell, settled } = open('d1')
  tell([changed('d2')], [['d2', 7]])
  expect(await settled()).toEqual([])
})

test('other processes are told of all datasets, and of jobs', async () => {
  const batches: LiveBatch[] = []
  const live = openLive(batch => void batches.push(batch), { isShared: true })
  live.tell?.(ctx, { events: [], notices: [changed('d2')], heads: new Map([['d2', 7]]), hasJobs: true })
  await setTimeout(100)
  expect(batches).toEqual([{ heads: new Map([['d2', 7]]), notices: [changed('d2')], hasJobs: true }])
})

test('bulk writes become one entry of one batch', async () => {
  const { tell, settled } = open('d1', 'd2')
  for (let i = 1; i <= 100; i++) tell([], [['d1', i]])
  tell([], [['d2', 5]])
  // Arrives late; the number does not decrease.
  tell([], [['d2', 4]])
  const heads = new Map([
    ['d1', 100],
    ['d2', 5],
  ])
  expect(await settled()).toEqual([{ heads, notices: [] }])
})

test.each([
  { count: 200, names: ['response-changed'] },
  { count: 201, names: ['job', 'many-changes'] },
])('$count changes at once are told as $names', async ({ count, names }) => {
  const { tell, settled } = open('d1')
  const job: Notice = { name: 'job', dataset_id: 'd1', user_id: null, data: { id: 'j1', status: 'finished' } }
  tell([...Array.from({ length: count }, () => changed('d1')), ...(count > 200 ? [job] : [])])
  const [batch] = await settled()
  expect([...new Set(batch?.notices.map(({ name }) => name))]).toEqual(names)
})
