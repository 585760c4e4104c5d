/** Test doubles: a server with the rules of the real one over an unreliable network, and the tabs of one browser. */
import type { RecordResponse } from '@postil/domain/responses'
import { expect, onTestFinished, vi } from 'vitest'
import { effectScope, shallowRef } from 'vue'
import type { Tabs } from '../../session/tabs.ts'
import type { Database } from '../../storage/database.ts'
import { openMemoryDatabase } from '../../storage/testing/memory-database.ts'
import { openOutbox } from '../outbox.ts'
import { TemporaryError, type WriteResult } from '../send.ts'
import type { Write } from '../write.ts'

/** From now to the end of the test, time passes only in `pollLater`. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** A quarter of a second passes before each look. */
export const pollLater = <T>(read: () => T | Promise<T>) =>
  expect.poll(
    async () => {
      await vi.advanceTimersByTimeAsync(250)
      return read()
    },
    { interval: 1 },
  )

export const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Fails before or after applying the writes, as listed in `failures`; then always succeeds. */
export function flakyServer(failures: ('before' | 'after' | null)[]) {
  const stored = new Map<string, RecordResponse & { writeId: string }>()
  let clock = 0
  const apply = (write: Write): WriteResult => {
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
  const send = async (batch: Write[]): Promise<WriteResult[]> => {
    const failure = failures.shift() ?? null
    if (failure === 'before') throw new TemporaryError('cut', 'unheard', 0)
    const sent = batch.map(apply)
    if (failure === 'after') throw new TemporaryError('cut', 'unheard', 0)
    return sent
  }
  return { stored, send }
}

export const makeWrite = (id: string, recordId: string, status: Write['status'], value: number): Write => ({
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

export type MessageHandler = (message: never) => void

/** Simulates the tabs of one browser: messages reach the other tabs with a short delay. */
export function createBrowser() {
  const tabs: { hearers: Map<string, Set<MessageHandler>>; isAwake: boolean }[] = []
  return {
    openTab(id: string, isLeader: boolean): Tabs & { sleep(): void; lead(isNow: boolean): void } {
      const own = { hearers: new Map<string, Set<MessageHandler>>(), isAwake: true }
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
          own.hearers.set(topic, all.add(hear as MessageHandler))
          return () => all.delete(hear as MessageHandler)
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

export interface OutboxSetup {
  database?: Database
  tabs?: Tabs
  isPaused?: boolean
}

export function openTestOutbox(send: (batch: Write[]) => Promise<WriteResult[]>, setting: OutboxSetup = {}) {
  const known = new Map<string, RecordResponse | null>()
  const elsewhere: Write[] = []
  const { database = openMemoryDatabase(), tabs = createBrowser().openTab('tab', true) } = setting
  const isPaused = shallowRef(setting.isPaused ?? false)
  const outbox = effectScope(true).run(() =>
    openOutbox({ tabs, database, send, isPaused, importLegacyData: async () => undefined }),
  )
  if (!outbox) throw new Error('The scope is active')
  outbox.listen({
    onSaved: (write, response) => void known.set(write.recordId, response),
    onPutElsewhere: write => void elsewhere.push(write),
  })
  return { outbox, known, elsewhere, isPaused }
}

export const untilSettled = ({ outbox }: ReturnType<typeof openTestOutbox>) =>
  expect.poll(() => outbox.waiting.value, { interval: 1 }).toBe(0)
export const answerOf = (server: ReturnType<typeof flakyServer>, record: string) => server.stored.get(record)?.values.q?.value
