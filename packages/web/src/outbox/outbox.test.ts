/** Tests the outbox against a server with the rules of the real one, over a network that fails at random. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Database } from '../storage/database.ts'
import { openMemoryDatabase } from '../storage/testing/memory-database.ts'
import { TemporaryError, type WriteResult } from './send.ts'
import {
  answerOf,
  createBrowser,
  flakyServer,
  makeWrite,
  openTestOutbox,
  pause,
  pollLater,
  stopTime,
  untilSettled,
} from './testing/outbox-kit.ts'
import type { Write } from './write.ts'

test('whatever the network does, the last answer to each record arrives, once', async () => {
  const actions = fc.array(
    fc.record({
      record: fc.constantFrom('1', '2', '3'),
      status: fc.constantFrom('draft', 'submitted', 'discarded', null),
      pauseMs: fc.nat(8),
    }),
    { maxLength: 20 },
  )
  const failures = fc.array(fc.constantFrom('before', 'after', null), { maxLength: 15 })
  await fc.assert(
    fc.asyncProperty(actions, failures, async (list, cuts) => {
      const server = flakyServer([...cuts])
      const here = openTestOutbox(server.send, { database: openMemoryDatabase(2) })
      const { outbox, known } = here
      const wanted = new Map<string, { status: Write['status']; value: number }>()
      for (const [value, { record, status, pauseMs }] of list.entries()) {
        await pause(pauseMs)
        const before = known.get(record) ?? null
        wanted.set(record, { status, value })
        const write = makeWrite(`w${value}`, record, status as Write['status'], value)
        outbox.put({ ...write, base: before?.updated_at ?? null, responseId: before?.id ?? null })
      }
      await untilSettled(here)
      expect(outbox.refused.value).toEqual([])
      for (const [record, { status, value }] of wanted) {
        const { status: has = null, values } = server.stored.get(record) ?? {}
        expect([has, values?.q?.value]).toEqual(status === null ? [null, undefined] : [status, value])
      }
      outbox.close()
    }),
    { numRuns: 60 },
  )
})

test('what an earlier visit left behind is sent', async () => {
  const database = openMemoryDatabase()
  const server = flakyServer([])
  await database.write('outbox', { put: [['w1', makeWrite('w1', '1', 'submitted', 1)]] })
  const here = openTestOutbox(server.send, { database })
  await expect.poll(() => server.stored.get('1')?.status, { interval: 1 }).toBe('submitted')
  await untilSettled(here)
  await expect.poll(() => database.all('outbox'), { interval: 1 }).toEqual([])
})

test('a refused answer is kept until a person decides', async () => {
  const database = openMemoryDatabase()
  const server = flakyServer([])
  await server.send([makeWrite('other', '1', 'submitted', 7)])
  const here = openTestOutbox(server.send, { database })
  here.outbox.put(makeWrite('mine', '1', 'submitted', 8))
  await expect.poll(() => here.outbox.refused.value.length, { interval: 1 }).toBe(1)
  expect(answerOf(server, '1')).toBe(7)
  here.outbox.insist('mine')
  await untilSettled(here)
  expect([answerOf(server, '1'), here.outbox.refused.value]).toEqual([8, []])
  await expect.poll(() => database.all('outbox'), { interval: 1 }).toEqual([])
})

test('an answer that is changed while an earlier one is refused takes its place', async () => {
  const server = flakyServer([])
  await server.send([makeWrite('other', '1', 'submitted', 7)])
  const answered = Promise.withResolvers<void>()
  let isFirst = true
  const here = openTestOutbox(async batch => {
    if (isFirst) await answered.promise
    isFirst = false
    return server.send(batch)
  })
  here.outbox.put(makeWrite('first', '1', 'submitted', 8))
  here.outbox.put(makeWrite('second', '1', 'submitted', 9))
  answered.resolve()
  await expect.poll(() => here.outbox.refused.value.map(({ id }) => id), { interval: 1 }).toEqual(['second'])
  await untilSettled(here)
})

test('sending does not wait for storage', async () => {
  const server = flakyServer([])
  const never = () => new Promise<boolean>(() => undefined)
  const here = openTestOutbox(server.send, { database: { ...openMemoryDatabase(), write: never } })
  here.outbox.put(makeWrite('w', '1', 'submitted', 1))
  await untilSettled(here)
  expect(answerOf(server, '1')).toBe(1)
})

test('what could not be stored is stored whole once storage works again', async () => {
  const database = openMemoryDatabase()
  let isFull = true
  const flaky: Database = { ...database, write: async (...change) => (isFull ? false : database.write(...change)) }
  const { outbox } = openTestOutbox(async () => Promise.reject(new TemporaryError('cut', 'unheard')), { database: flaky })
  stopTime()
  for (const i of [1, 2, 3]) outbox.put(makeWrite(`w${i}`, String(i), 'submitted', i))
  isFull = false
  await pollLater(() => [...database.rows('outbox').keys()]).toEqual(['w1', 'w2', 'w3'])
  outbox.close()
})

test('answers of an earlier visit that cannot be read at first are neither overwritten nor forgotten', async () => {
  const memory = openMemoryDatabase()
  await memory.write('outbox', { put: [['w1', makeWrite('w1', '1', 'submitted', 1)]] })
  let isWorking = false
  const failing: Database = {
    ...memory,
    all: async table => (isWorking ? memory.all(table) : null),
    write: async (table, change) => isWorking && memory.write(table, change),
  }
  stopTime()
  const server = flakyServer([])
  const here = openTestOutbox(server.send, { database: failing })
  here.outbox.put(makeWrite('w2', '2', 'submitted', 2))
  await pollLater(() => answerOf(server, '2')).toBe(2)
  expect([...memory.rows('outbox').keys()]).toEqual(['w1'])
  isWorking = true
  await pollLater(() => answerOf(server, '1')).toBe(1)
  await pollLater(() => memory.all('outbox')).toEqual([])
  expect(here.outbox.refused.value).toEqual([])
})

test('a tab that does not lead stores its answers without deleting those of others', async () => {
  const memory = openMemoryDatabase()
  await memory.write('outbox', { put: [['w1', makeWrite('w1', '1', 'submitted', 1)]] })
  let isWorking = false
  const failing: Database = { ...memory, write: async (table, change) => isWorking && memory.write(table, change) }
  stopTime()
  const tabs = createBrowser().openTab('tab', false)
  const here = openTestOutbox(flakyServer([]).send, { database: failing, tabs: { ...tabs, takeOver: () => undefined } })
  here.outbox.put(makeWrite('w2', '2', 'submitted', 2))
  isWorking = true
  await pollLater(() => [...memory.rows('outbox').keys()]).toEqual(['w1', 'w2'])
  here.outbox.close()
})

test('while nobody is signed in, nothing is sent; then everything is', async () => {
  const server = flakyServer([])
  const here = openTestOutbox(server.send, { isPaused: true })
  here.outbox.put(makeWrite('w', '1', 'submitted', 1))
  await pause(20)
  expect(server.stored.size).toBe(0)
  here.isPaused.value = false
  await untilSettled(here)
  expect(answerOf(server, '1')).toBe(1)
})

test('one answer that the server cannot process is set aside, and the others arrive', async () => {
  const server = flakyServer([])
  const send = async (batch: Write[]): Promise<WriteResult[]> => {
    if (batch.some(({ id }) => id === 'bad')) throw new TemporaryError(new Error('status 500'), 'failed', 0)
    return server.send(batch)
  }
  const here = openTestOutbox(send)
  for (const id of ['a', 'bad', 'b', 'c']) here.outbox.put(makeWrite(id, id, 'submitted', 1))
  await untilSettled(here)
  expect([...server.stored.keys()].sort()).toEqual(['a', 'b', 'c'])
  expect(here.outbox.refused.value).toMatchObject([{ id: 'bad', refusal: { kind: 'failed', message: 'status 500' } }])
})

test('with the network back, a try that began before it and fails brings no long pause', async () => {
  const tries: PromiseWithResolvers<WriteResult[]>[] = []
  const here = openTestOutbox(() => {
    const one = Promise.withResolvers<WriteResult[]>()
    tries.push(one)
    return one.promise
  })
  const write = makeWrite('w', 'record', 'submitted', 1)
  here.outbox.put(write)
  for (let i = 0; i < 8; i++) {
    await expect.poll(() => tries.length).toBe(i + 1)
    tries[i]?.reject(new TemporaryError('cut', 'unheard', 0))
  }
  await expect.poll(() => tries.length).toBe(9)
  here.outbox.hurry()
  tries[8]?.reject(new TemporaryError('cut', 'unheard'))
  await expect.poll(() => tries.length).toBe(10)
  tries[9]?.resolve([{ write, response: null, refusal: null }])
  await untilSettled(here)
})
