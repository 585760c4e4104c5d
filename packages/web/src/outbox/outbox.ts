/**
 * Every answer goes into the browser's own storage first and to the server in the background, in order per record, until
 * the server has answered: a dead network, a closed tab or a failed request lose nothing, and nothing is written twice.
 */
import type { RecordResponse } from '@postil/domain/responses'
import type { Table } from '../storage/browser-store.ts'
import { type Sent, Unreachable } from './send.ts'
import { mergeWrites, nextBatch, pauseAfter, type Refusal, type Write } from './write.ts'

export interface OutboxState {
  /** Not answered yet. */
  waiting: number
  /** The last try found no server. */
  isOffline: boolean
  refused: Write[]
}

export interface Outbox {
  /** Settled once it is kept in the browser. */
  put(write: Write): Promise<void>
  /** Gives up a refused write, or sends it anyway, upon what the server has now. */
  drop(id: string): Promise<void>
  insist(id: string): Promise<void>
  /** Tries at once instead of after the pause. */
  hurry(): void
  /** Takes over what other tabs of this person left behind. */
  adopt(isAlive: (tab: string) => boolean): Promise<void>
  pendingFor(recordId: string): Write | undefined
  stop(): void
}

export interface OutboxOptions {
  table: Table<Write>
  userId: string
  tab: string
  send(batch: Write[]): Promise<Sent[]>
  onState(state: OutboxState): void
  onSaved(write: Write, response: RecordResponse | null): void
  onRefused(write: Write, refusal: Refusal): void
}

const BATCH_MAX = 50
const REQUESTS_MAX = 4

export function openOutbox(options: OutboxOptions): Outbox {
  const { table } = options
  let writes: Write[] = []
  const inFlight = new Set<string>()
  let requests = 0
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  const tell = () => {
    const refused = writes.filter(({ refusal }) => refusal)
    options.onState({ waiting: writes.length - refused.length, isOffline: failures > 0, refused })
  }
  const replace = (next: Write) => {
    writes = writes.map(write => (write.id === next.id ? next : write))
  }

  async function put(write: Write): Promise<void> {
    const same = writes.filter(({ recordId }) => recordId === write.recordId)
    const earlier = same.at(-1)
    const merged = earlier && !inFlight.has(write.recordId) ? mergeWrites(earlier, write, same.length === 1) : 'both'
    if (merged === 'both') {
      // A refused write that the person has answered again is settled by the new one.
      const settled = writes.filter(one => one.recordId === write.recordId && one.refusal)
      writes = [...writes.filter(one => !settled.includes(one)), write]
      tell()
      await Promise.all([table.put(write.id, write), ...settled.map(({ id }) => table.delete(id))])
    } else {
      writes = writes.flatMap(one => (one.id !== earlier?.id ? [one] : merged === 'nothing' ? [] : [merged]))
      tell()
      if (merged !== 'nothing') await table.put(merged.id, merged)
      if (earlier) await table.delete(earlier.id)
    }
    pump()
  }

  function pump(): void {
    if (isStopped || timer !== undefined) return
    while (requests < REQUESTS_MAX) {
      // After a failure one request finds out whether the server is back.
      if (failures > 0 && requests > 0) return
      const batch = nextBatch(writes, inFlight, BATCH_MAX)
      if (batch.length === 0) return
      void sendBatch(batch)
    }
  }

  async function sendBatch(batch: Write[]): Promise<void> {
    requests++
    for (const { recordId } of batch) inFlight.add(recordId)
    try {
      await noteTry(batch)
      const sent = await options.send(batch)
      failures = 0
      for (const one of sent) await settle(one)
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      failures++
      timer = setTimeout(hurry, error.retryAfterMs ?? pauseAfter(failures))
    } finally {
      requests--
      for (const { recordId } of batch) inFlight.delete(recordId)
      tell()
      pump()
    }
  }

  /** Kept before it is sent: after a reload too, nothing may be merged into what the server might have. */
  async function noteTry(batch: Write[]): Promise<void> {
    await Promise.all(
      batch.map(async write => {
        const tried = { ...write, tries: write.tries + 1 }
        replace(tried)
        await table.put(tried.id, tried)
      }),
    )
  }

  /** Told before the disk is done: an answer that is made meanwhile stands upon what the server has now. */
  async function settle({ write, response, refusal }: Sent): Promise<void> {
    if (refusal) {
      const refused = { ...write, refusal }
      replace(refused)
      options.onRefused(refused, refusal)
      return table.put(refused.id, refused)
    }
    writes = writes.filter(({ id }) => id !== write.id)
    const later = writes.filter(({ recordId, refusal: kept }) => recordId === write.recordId && !kept)
    const rebased = later.map(one => rebase(one, response))
    options.onSaved(write, response)
    await Promise.all([...rebased, table.delete(write.id)])
  }

  function rebase(write: Write, response: RecordResponse | null): Promise<void> {
    const next = { ...write, base: response?.updated_at ?? null, responseId: response?.id ?? null }
    replace(next)
    return table.put(next.id, next)
  }

  function hurry(): void {
    clearTimeout(timer)
    timer = undefined
    pump()
  }

  return {
    put,
    hurry: () => {
      // A try that is still failing must not bring back the long pause.
      failures = 0
      hurry()
    },
    drop: async id => {
      writes = writes.filter(write => write.id !== id)
      tell()
      await table.delete(id)
    },
    insist: async id => {
      const refused = writes.find(write => write.id === id)
      if (!refused?.refusal) return
      await rebase({ ...refused, refusal: null, tries: 0 }, refused.refusal.current)
      tell()
      hurry()
    },
    adopt: async isAlive => {
      const kept = await table.all()
      const known = new Set(writes.map(({ id }) => id))
      const left = kept.filter(({ id, userId, tab }) => userId === options.userId && !known.has(id) && !isAlive(tab))
      writes = [...writes, ...left.map(write => ({ ...write, tab: options.tab }))].sort((a, b) => a.madeAt - b.madeAt)
      tell()
      pump()
    },
    pendingFor: recordId => writes.findLast(write => write.recordId === recordId),
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
