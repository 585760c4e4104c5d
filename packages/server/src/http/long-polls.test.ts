/** Long polls: what completes them, what ends them, and their limits. */
import { setImmediate } from 'node:timers/promises'
import type { Id } from '@postil/domain/schema'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type DatasetWatch, openDatasetWatch } from '../events/dataset-watch.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import { insertHead } from '../storage/changes.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { jsonReply, type Reply } from './call.ts'
import { createLongPolls, type LongPolls } from './long-polls.ts'

let ctx: TestContext
let app: FastifyInstance
let watch: DatasetWatch
let polls: LongPolls
/** The only dataset; `head` is the end of its log. */
let datasetId: Id
let head: number
/** Ids of datasets that the writer was asked to report. */
let watched: Id[]
let tell: (batch: LiveBatch) => void

beforeAll(async () => {
  ctx = await openTestContext()
})
afterAll(() => ctx.close())
beforeEach(async () => {
  datasetId = ctx.newId()
  await insertHead(ctx.db, datasetId, ctx.now())
  head = 6
  await write()
  watched = []
  app = fastify()
  const live = {
    watch: (ids: Id[]) => {
      watched = ids
    },
    listen: (listener: (batch: LiveBatch) => void) => {
      tell = listener
    },
  }
  watch = openDatasetWatch({ ...ctx, live })
  polls = createLongPolls(app, watch)
})
afterEach(async () => {
  await app.close()
  watch.close()
})

/** Writes like another process, which does not notify this one. */
const write = () => ctx.db.sql.run('update dataset_heads set change_no = ? where dataset_id = ?', [++head, datasetId])

const grow = async () => {
  await write()
  tell({ heads: new Map([[datasetId, head]]), notices: [] })
}

const waiting = (after: number, seconds = 60): Reply => ({
  ...jsonReply(200, { next: after }),
  waitsFor: { datasetId, after, seconds },
})

/** Opens a request with `after`; it is answered when the head is larger. */
function open({ after = head, seconds = 60, userId = 'ann', look = () => answer(after) } = {}) {
  const caller = new AbortController()
  const state = { isDone: false }
  const settled = polls
    .settle({ userId, reply: waiting(after, seconds), repeat: async () => look(), signal: caller.signal })
    .finally(() => {
      state.isDone = true
    })
  // The tests check rejections later.
  settled.catch(() => {})
  return { settled, state, caller }
}

const answer = (after: number): Reply => (head > after ? jsonReply(200, { next: head }) : waiting(after))
const nextOf = async (reply: Promise<Reply>) => JSON.parse(new TextDecoder().decode((await reply).body ?? undefined)).next

test('a change completes all requests that wait for it, and the dataset is no longer watched', async () => {
  const opened = [open(), open(), open({ userId: 'ben' })]
  await setImmediate()
  expect(opened.map(({ state }) => state.isDone)).toEqual([false, false, false])
  await grow()
  expect(await Promise.all(opened.map(({ settled }) => nextOf(settled)))).toEqual([8, 8, 8])
  expect(watched).toEqual([])
})

test('a change between the first call and the waiting is found', async () => {
  const after = head
  await write()
  expect(await nextOf(open({ after }).settled)).toBe(8)
})

test('a change that another process makes is found', async () => {
  const poll = open()
  await setImmediate()
  await write()
  expect(await nextOf(poll.settled)).toBe(8)
})

test('a log that is shorter now is found', async () => {
  const poll = open({ look: () => jsonReply(410, { next: null }) })
  await setImmediate()
  head = 2
  await write()
  expect(await poll.settled).toMatchObject({ status: 410 })
})

test('a request goes on waiting if its reply has not changed', async () => {
  let looks = 0
  const poll = open({
    look: () => {
      looks++
      return looks < 3 ? waiting(7) : jsonReply(200, { next: 9 })
    },
  })
  await setImmediate()
  for (let i = 0; i < 2; i++) {
    tell({ heads: new Map([[datasetId, 8]]), notices: [] })
    await setImmediate()
    expect(poll.state.isDone).toBe(false)
  }
  tell({ heads: new Map([[datasetId, 8]]), notices: [] })
  expect(await nextOf(poll.settled)).toBe(9)
})

test('a refusal of the repeated call is the response', async () => {
  const poll = open({ look: () => jsonReply(403, { next: null }) })
  await setImmediate()
  await grow()
  expect(await poll.settled).toMatchObject({ status: 403 })
})

test('without a change the first answer comes when the time is over', async () => {
  expect(await nextOf(open({ seconds: 0.02 }).settled)).toBe(7)
  expect(watched).toEqual([])
})

test('a caller who leaves is not waited for', async () => {
  const poll = open()
  await setImmediate()
  poll.caller.abort()
  expect(await nextOf(poll.settled)).toBe(7)
  expect(watched).toEqual([])
})

test('a server that stops answers at once, also those who come then', async () => {
  const before = open()
  await setImmediate()
  await app.close()
  expect(await nextOf(before.settled)).toBe(7)
  expect(await nextOf(open().settled)).toBe(7)
  expect(watched).toEqual([])
})

test('a 33rd request of one user is refused until one of them ends', async () => {
  const opened = Array.from({ length: 32 }, () => open())
  await expect(open().settled).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 5 })
  const other = open({ userId: 'ben' })
  opened[0]?.caller.abort()
  await opened[0]?.settled
  const late = open()
  await setImmediate()
  expect([other.state.isDone, late.state.isDone]).toEqual([false, false])
  await grow()
  expect(await nextOf(late.settled)).toBe(8)
})

test('a 501st request of all users is refused', async () => {
  const opened = Array.from({ length: 500 }, (_, index) => open({ userId: `u${index % 20}` }))
  await expect(open({ userId: 'late' }).settled).rejects.toMatchObject({ code: 'unavailable' })
  await grow()
  await Promise.all(opened.map(({ settled }) => settled))
  expect(await nextOf(open({ after: 0, userId: 'late' }).settled)).toBe(8)
})
