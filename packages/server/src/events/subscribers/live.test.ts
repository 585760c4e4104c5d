import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import type { Event, Notice } from '../emit.ts'
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
  const tell = (events: Event[], notices: Notice[] = [], heads: [string, number][] = []) =>
    live.tell?.(ctx, events, notices, new Map(heads))
  const settled = async () => {
    await setTimeout(100)
    return batches
  }
  return { tell, settled }
}

const completed = (dataset_id: string, count: number): Event => ({
  name: 'record.completed',
  payload: { dataset_id, record_ids: Array.from({ length: count }, (_, index) => `r${index}`) },
})
const created = (dataset_id: string): Event => ({ name: 'record.created', payload: { dataset_id, record_ids: ['r1', 'r2'] } })
const comment = (dataset_id: string): Notice => ({
  name: 'comment',
  dataset_id,
  user_id: null,
  data: { record_id: 'r1', comment_id: 'c1', deleted: false },
})

test('nothing is collected for datasets that nobody watches', async () => {
  const { tell, settled } = open('d1')
  tell([created('d2'), completed('d2', 1)], [comment('d2')], [['d2', 7]])
  expect(await settled()).toEqual([])
})

test('bulk writes become one entry of one batch', async () => {
  const { tell, settled } = open('d1', 'd2')
  for (let i = 1; i <= 100; i++) tell([created('d1')], [], [['d1', i]])
  tell([created('d2')], [], [['d2', 5]])
  // Told late: the number does not go back.
  tell([created('d2')], [], [['d2', 4]])
  const heads = new Map([
    ['d1', 100],
    ['d2', 5],
  ])
  expect(await settled()).toEqual([{ heads, notices: [] }])
})

test('completed records are named', async () => {
  const { tell, settled } = open('d1')
  tell([completed('d1', 2)])
  const toAll = { name: 'record-completed', dataset_id: 'd1', user_id: null }
  expect(await settled()).toEqual([
    {
      heads: new Map(),
      notices: [
        { ...toAll, data: { record_id: 'r0' } },
        { ...toAll, data: { record_id: 'r1' } },
      ],
    },
  ])
})

test.each([
  { count: 200, names: ['record-completed'] },
  { count: 201, names: ['job', 'many-changes'] },
])('$count changes at once are told as $names', async ({ count, names }) => {
  const { tell, settled } = open('d1')
  const job: Notice = { name: 'job', dataset_id: 'd1', user_id: null, data: { id: 'j1', status: 'finished' } }
  tell([completed('d1', count)], count > 200 ? [job] : [])
  const [batch] = await settled()
  expect([...new Set(batch?.notices.map(({ name }) => name))]).toEqual(names)
})
