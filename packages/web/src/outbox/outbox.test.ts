/** The outbox against a server that keeps the rules of the real one, over a network that fails at random. */
import type { RecordResponse } from '@postil/domain/responses'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Table } from '../storage/browser-store.ts'
import { type OutboxState, openOutbox } from './outbox.ts'
import { type Sent, Unreachable } from './send.ts'
import type { Write } from './write.ts'

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** A disk takes its time. */
function memoryTable(writeMs = 0): Table<Write> {
  const rows = new Map<string, Write>()
  return {
    all: async () => [...rows.values()],
    get: async key => rows.get(key),
    put: (key, value) => pause(writeMs).then(() => void rows.set(key, value)),
    delete: key => pause(writeMs).then(() => void rows.delete(key)),
    clear: async () => rows.clear(),
  }
}

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
    if (failure === 'before') throw new Unreachable('cut', 0)
    const sent = batch.map(apply)
    if (failure === 'after') throw new Unreachable('cut', 0)
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
  madeAt: value,
  tries: 0,
  refusal: null,
})

const settled = (state: () => OutboxState) => expect.poll(() => state().waiting, { interval: 1, timeout: 5_000 }).toBe(0)

function open(table: Table<Write>, send: (batch: Write[]) => Promise<Sent[]>) {
  let state: OutboxState = { waiting: 0, isOffline: false, refused: [] }
  const known = new Map<string, RecordResponse | null>()
  const outbox = openOutbox({
    table,
    userId: 'u',
    tab: 'tab',
    send,
    onState: next => {
      state = next
    },
    onSaved: (write, response) => void known.set(write.recordId, response),
    onRefused: () => {},
  })
  return { outbox, state: () => state, known }
}

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
      const { outbox, state, known } = open(memoryTable(2), server.send)
      const wanted = new Map<string, { status: Write['status']; value: number }>()
      const kept: Promise<void>[] = []
      for (const [value, { record, status, pauseMs }] of list.entries()) {
        await pause(pauseMs)
        const before = known.get(record) ?? null
        wanted.set(record, { status, value })
        const write = makeWrite(`w${value}`, record, status as Write['status'], value)
        kept.push(outbox.put({ ...write, base: before?.updated_at ?? null, responseId: before?.id ?? null }))
      }
      await Promise.all(kept)
      await settled(state)
      expect(state().refused).toEqual([])
      for (const [record, { status, value }] of wanted) {
        const { status: has = null, values } = server.stored.get(record) ?? {}
        expect([has, values?.q?.value]).toEqual(status === null ? [null, undefined] : [status, value])
      }
      outbox.stop()
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('what a closed tab left behind is sent by the next one', async () => {
  const table = memoryTable()
  const server = flakyServer([])
  await table.put('w1', makeWrite('w1', '1', 'submitted', 1))
  const { outbox, state } = open(table, server.send)
  await outbox.adopt(() => false)
  await settled(state)
  expect([server.stored.get('1')?.status, await table.all()]).toEqual(['submitted', []])
})

test('what a living tab has is left to it', async () => {
  const table = memoryTable()
  const server = flakyServer([])
  await table.put('w1', makeWrite('w1', '1', 'submitted', 1))
  const { outbox } = open(table, server.send)
  await outbox.adopt(() => true)
  expect([server.stored.size, (await table.all()).length]).toEqual([0, 1])
})

test('a refused answer is kept until a person decides', async () => {
  const table = memoryTable()
  const server = flakyServer([])
  await server.send([makeWrite('other', '1', 'submitted', 7)])
  const { outbox, state } = open(table, server.send)
  await outbox.put(makeWrite('mine', '1', 'submitted', 8))
  await expect.poll(() => state().refused.length, { interval: 1 }).toBe(1)
  expect(server.stored.get('1')?.values.q?.value).toBe(7)
  await outbox.insist('mine')
  await settled(state)
  expect([server.stored.get('1')?.values.q?.value, state().refused, await table.all()]).toEqual([8, [], []])
})

test('an answer that is changed while the browser still forgets the saved one is written upon it', async () => {
  const table = memoryTable()
  const forgetting = Promise.withResolvers<void>()
  const server = flakyServer([])
  const { outbox, state, known } = open({ ...table, delete: () => forgetting.promise }, server.send)
  await outbox.put(makeWrite('first', '1', 'submitted', 1))
  await expect.poll(() => known.get('1'), { interval: 1 }).toBeDefined()
  const upon = known.get('1')
  const changed = makeWrite('second', '1', 'draft', 2)
  await outbox.put({ ...changed, base: upon?.updated_at ?? null, responseId: upon?.id ?? null })
  forgetting.resolve()
  await settled(state)
  expect([state().refused, server.stored.get('1')?.status]).toEqual([[], 'draft'])
})

test('with the network back, a try that began before it and fails brings no long pause', async () => {
  const tries: PromiseWithResolvers<Sent[]>[] = []
  const { outbox, state } = open(memoryTable(), () => {
    const one = Promise.withResolvers<Sent[]>()
    tries.push(one)
    return one.promise
  })
  const write = makeWrite('w', 'record', 'submitted', 1)
  void outbox.put(write)
  for (let i = 0; i < 8; i++) {
    await expect.poll(() => tries.length).toBe(i + 1)
    tries[i]?.reject(new Unreachable('cut', 0))
  }
  await expect.poll(() => tries.length).toBe(9)
  outbox.hurry()
  tries[8]?.reject(new Unreachable('cut'))
  await expect.poll(() => tries.length, { timeout: 2_000 }).toBe(10)
  tries[9]?.resolve([{ write, response: null, refusal: null }])
  await settled(state)
})
