/** The outbox against a server that keeps the rules of the real one, over a network that fails at random. */
import type { RecordResponse } from '@postil/domain/responses'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectScope, shallowRef } from 'vue'
import type { Tabs } from '../session/tabs.ts'
import type { Database } from '../storage/database.ts'
import { openMemoryDatabase } from '../storage/testing/memory-database.ts'
import { openOutbox } from './outbox.ts'
import { type Sent, Unreachable } from './send.ts'
import type { Write } from './write.ts'

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Fails before or after it did the work, as the list says; then always answers. */
function flakyServer(failures: ('before' | 'after' | null)[]) {
  const stored = new Map<string, RecordResponse & { writeId: string }>()
  let clock = 0
  const apply = (write: Write): Sent => {
    const current = stored.get(write.recordId) ?? null
    if (current?.writeId === write.id) return { write, response: current, refusal: null }
    if (write.status === null) {
      stored.delete(write.recordId)
      return { write, response: null, refusal: null }
    }
    if ((current?.updated_at ?? null) !== write.base)
      return { write, response: null, refusal: { kind: 'conflict', message: 'changed', current } }
    const updated_at = String(++clock)
    const { recordId: record_id, userId: user_id, status, values } = write
    const response = {
      id: `r-${record_id}`,
      record_id,
      user_id,
      status,
      values,
      inserted_at: updated_at,
      updated_at,
      writeId: write.id,
    }
    stored.set(record_id, response)
    return { write, response, refusal: null }
  }
  const send = async (batch: Write[]): Promise<Sent[]> => {
    const failure = failures.shift() ?? null
    if (failure === 'before') throw new Unreachable('cut', 'unheard', 0)
    const sent = batch.map(apply)
    if (failure === 'after') throw new Unreachable('cut', 'unheard', 0)
    return sent
  }
  return { stored, send }
}

const makeWrite = (id: string, recordId: string, status: Write['status'], value: number): Write => ({
  id,
  tab: 'tab',
  userId: 'u',
  datasetId: 'd',
  recordId,
  status,
  values: { q: { value } },
  base: null,
  responseId: null,
  upon: null,
  madeAt: value,
  tries: 0,
  refusal: null,
})

type Heard = (message: never) => void

/** The tabs of one browser: what one tells, the others hear a moment later. */
function openBrowser() {
  const tabs: { hearers: Map<string, Set<Heard>>; isAwake: boolean }[] = []
  return {
    openTab(id: string, isLeader: boolean): Tabs & { sleep(): void; lead(isNow: boolean): void } {
      const own = { hearers: new Map<string, Set<Heard>>(), isAwake: true }
      tabs.push(own)
      const leads = shallowRef(isLeader)
      return {
        id,
        isLeader: leads,
        tell: (topic, message) => {
          for (const tab of tabs)
            if (tab !== own && tab.isAwake)
              queueMicrotask(() => {
                for (const hear of tab.hearers.get(topic) ?? []) hear(structuredClone(message) as never)
              })
        },
        listen: (topic, hear) => {
          const all = own.hearers.get(topic) ?? new Set()
          own.hearers.set(topic, all.add(hear as Heard))
          return () => all.delete(hear as Heard)
        },
        mayAct: async () => leads.value,
        takeOver: () => {
          leads.value = true
        },
        close: () => {
          own.isAwake = false
        },
        sleep: () => {
          own.isAwake = false
        },
        lead: isNow => {
          leads.value = isNow
        },
      }
    },
  }
}

interface Setting {
  database?: Database
  tabs?: Tabs
  isPaused?: boolean
}

function open(send: (batch: Write[]) => Promise<Sent[]>, setting: Setting = {}) {
  const known = new Map<string, RecordResponse | null>()
  const elsewhere: Write[] = []
  const { database = openMemoryDatabase(), tabs = openBrowser().openTab('tab', true) } = setting
  const isPaused = shallowRef(setting.isPaused ?? false)
  const outbox = effectScope(true).run(() => openOutbox({ tabs, database, send, isPaused, importOld: async () => undefined }))
  if (!outbox) throw new Error('The scope is active')
  outbox.listen({
    onSaved: (write, response) => void known.set(write.recordId, response),
    onPutElsewhere: write => void elsewhere.push(write),
  })
  return { outbox, known, elsewhere, isPaused }
}

const settled = ({ outbox }: ReturnType<typeof open>) =>
  expect.poll(() => outbox.waiting.value, { interval: 1, timeout: 5_000 }).toBe(0)
const answerOf = (server: ReturnType<typeof flakyServer>, record: string) => server.stored.get(record)?.values.q?.value

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
      const here = open(server.send, { database: openMemoryDatabase(2) })
      const { outbox, known } = here
      const wanted = new Map<string, { status: Write['status']; value: number }>()
      for (const [value, { record, status, pauseMs }] of list.entries()) {
        await pause(pauseMs)
        const before = known.get(record) ?? null
        wanted.set(record, { status, value })
        const write = makeWrite(`w${value}`, record, status as Write['status'], value)
        outbox.put({ ...write, base: before?.updated_at ?? null, responseId: before?.id ?? null })
      }
      await settled(here)
      expect(outbox.refused.value).toEqual([])
      for (const [record, { status, value }] of wanted) {
        const { status: has = null, values } = server.stored.get(record) ?? {}
        expect([has, values?.q?.value]).toEqual(status === null ? [null, undefined] : [status, value])
      }
      outbox.close()
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('what an earlier visit left behind is sent', async () => {
  const database = openMemoryDatabase()
  const server = flakyServer([])
  await database.write('outbox', { put: [['w1', makeWrite('w1', '1', 'submitted', 1)]] })
  const here = open(server.send, { database })
  await expect.poll(() => server.stored.get('1')?.status, { interval: 1 }).toBe('submitted')
  await settled(here)
  await expect.poll(() => database.all('outbox'), { interval: 1 }).toEqual([])
})

test('a refused answer is kept until a person decides', async () => {
  const database = openMemoryDatabase()
  const server = flakyServer([])
  await server.send([makeWrite('other', '1', 'submitted', 7)])
  const here = open(server.send, { database })
  here.outbox.put(makeWrite('mine', '1', 'submitted', 8))
  await expect.poll(() => here.outbox.refused.value.length, { interval: 1 }).toBe(1)
  expect(answerOf(server, '1')).toBe(7)
  here.outbox.insist('mine')
  await settled(here)
  expect([answerOf(server, '1'), here.outbox.refused.value]).toEqual([8, []])
  await expect.poll(() => database.all('outbox'), { interval: 1 }).toEqual([])
})

test('an answer that is changed while an earlier one is refused takes its place', async () => {
  const server = flakyServer([])
  await server.send([makeWrite('other', '1', 'submitted', 7)])
  const answered = Promise.withResolvers<void>()
  let isFirst = true
  const here = open(async batch => {
    if (isFirst) await answered.promise
    isFirst = false
    return server.send(batch)
  })
  here.outbox.put(makeWrite('first', '1', 'submitted', 8))
  here.outbox.put(makeWrite('second', '1', 'submitted', 9))
  answered.resolve()
  await expect.poll(() => here.outbox.refused.value.map(({ id }) => id), { interval: 1 }).toEqual(['second'])
  await settled(here)
})

test('sending does not wait for storage', async () => {
  const server = flakyServer([])
  const never = () => new Promise<boolean>(() => undefined)
  const here = open(server.send, { database: { ...openMemoryDatabase(), write: never } })
  here.outbox.put(makeWrite('w', '1', 'submitted', 1))
  await settled(here)
  expect(answerOf(server, '1')).toBe(1)
})

test('what could not be stored is stored whole once storage works again', async () => {
  const database = openMemoryDatabase()
  let isFull = true
  const flaky: Database = { ...database, write: async (...change) => (isFull ? false : database.write(...change)) }
  const { outbox } = open(async () => Promise.reject(new Unreachable('cut', 'unheard')), { database: flaky })
  for (const i of [1, 2, 3]) outbox.put(makeWrite(`w${i}`, String(i), 'submitted', i))
  isFull = false
  await expect.poll(() => [...database.rows('outbox').keys()], { timeout: 6_000 }).toEqual(['w1', 'w2', 'w3'])
  outbox.close()
})

test('while nobody is signed in, nothing is sent; then everything is', async () => {
  const server = flakyServer([])
  const here = open(server.send, { isPaused: true })
  here.outbox.put(makeWrite('w', '1', 'submitted', 1))
  await pause(20)
  expect(server.stored.size).toBe(0)
  here.isPaused.value = false
  await settled(here)
  expect(answerOf(server, '1')).toBe(1)
})

test('one answer that the server cannot process is set aside, and the others arrive', async () => {
  const server = flakyServer([])
  const send = async (batch: Write[]): Promise<Sent[]> => {
    if (batch.some(({ id }) => id === 'bad')) throw new Unreachable(new Error('status 500'), 'failed', 0)
    return server.send(batch)
  }
  const here = open(send)
  for (const id of ['a', 'bad', 'b', 'c']) here.outbox.put(makeWrite(id, id, 'submitted', 1))
  await settled(here)
  expect([...server.stored.keys()].sort()).toEqual(['a', 'b', 'c'])
  expect(here.outbox.refused.value).toMatchObject([{ id: 'bad', refusal: { kind: 'failed', message: 'status 500' } }])
})

describe('two tabs of one person', () => {
  function openTwo(send: (batch: Write[]) => Promise<Sent[]>) {
    const browser = openBrowser()
    const database = openMemoryDatabase()
    const [first, second] = [browser.openTab('first', true), browser.openTab('second', false)]
    const never = async () => Promise.reject(new Error('A tab that follows does not send'))
    const leader = open(send, { tabs: first, database })
    const follower = open(never, { tabs: second, database })
    return { leader, follower, first, second }
  }

  test('the one that leads sends for both, and both know', async () => {
    const server = flakyServer([])
    const { leader, follower } = openTwo(server.send)
    await pause(1)
    follower.outbox.put(makeWrite('w', '1', 'submitted', 1))
    await settled(leader)
    await settled(follower)
    expect(answerOf(server, '1')).toBe(1)
    expect(follower.known.get('1')?.status).toBe('submitted')
    expect(leader.elsewhere.map(({ id }) => id)).toEqual(['w'])
  })

  test('an answer that neither has seen of the other does not replace it: the server decides', async () => {
    const gate = Promise.withResolvers<void>()
    const server = flakyServer([])
    const { leader, follower } = openTwo(async batch => {
      await gate.promise
      return server.send(batch)
    })
    await pause(1)
    leader.outbox.put(makeWrite('mine', '1', 'submitted', 1))
    follower.outbox.put(makeWrite('stale', '1', 'draft', 2))
    gate.resolve()
    await settled(leader)
    expect([server.stored.get('1')?.status, answerOf(server, '1')]).toEqual(['submitted', 1])
    expect(leader.outbox.refused.value).toMatchObject([{ id: 'stale', refusal: { kind: 'conflict' } }])
  })

  test('what is undone in the one that follows is never sent', async () => {
    const server = flakyServer([])
    const { leader, follower } = openTwo(server.send)
    leader.isPaused.value = true
    await pause(1)
    follower.outbox.put(makeWrite('done', '1', 'submitted', 1))
    await pause(1)
    follower.outbox.put(makeWrite('undone', '1', null, 2))
    await pause(1)
    leader.isPaused.value = false
    await settled(leader)
    await settled(follower)
    expect(server.stored.size).toBe(0)
  })

  test('a leader that sleeps is replaced, and what it had is sent once', async () => {
    const server = flakyServer([])
    const browser = openBrowser()
    const database = openMemoryDatabase()
    const [first, second] = [browser.openTab('first', true), browser.openTab('second', false)]
    const sleeper = open(() => new Promise(() => undefined), { tabs: first, database })
    const waker = open(server.send, { tabs: second, database })
    await pause(1)
    sleeper.outbox.put(makeWrite('old', '1', 'submitted', 1))
    await pause(1)
    first.sleep()
    waker.outbox.put(makeWrite('new', '2', 'submitted', 2))
    await expect.poll(() => server.stored.size, { timeout: 6_000 }).toBe(2)
    await settled(waker)
    expect(waker.outbox.refused.value).toEqual([])
  })
})

test('with the network back, a try that began before it and fails brings no long pause', async () => {
  const tries: PromiseWithResolvers<Sent[]>[] = []
  const here = open(() => {
    const one = Promise.withResolvers<Sent[]>()
    tries.push(one)
    return one.promise
  })
  const write = makeWrite('w', 'record', 'submitted', 1)
  here.outbox.put(write)
  for (let i = 0; i < 8; i++) {
    await expect.poll(() => tries.length).toBe(i + 1)
    tries[i]?.reject(new Unreachable('cut', 'unheard', 0))
  }
  await expect.poll(() => tries.length).toBe(9)
  here.outbox.hurry()
  tries[8]?.reject(new Unreachable('cut', 'unheard'))
  await expect.poll(() => tries.length, { timeout: 2_000 }).toBe(10)
  tries[9]?.resolve([{ write, response: null, refusal: null }])
  await settled(here)
})
