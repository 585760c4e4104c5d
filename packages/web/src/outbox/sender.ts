/**
 * Sends writes to the server in the background, in order per record, until it has answered: a dead network or a failed
 * request lose nothing, and nothing is written twice. Runs in the tab that leads.
 */
import type { RecordResponse } from '@postil/domain/responses'
import { openBlame } from './blame.ts'
import { type Sent, Unreachable } from './send.ts'
import { mergeWrites, nextBatch, pauseAfter, type Refusal, type Write } from './write.ts'

export interface SenderOptions {
  send(batch: Write[]): Promise<Sent[]>
  /** False when another tab sends by now. */
  mayAct(): Promise<boolean>
  /** Nobody is signed in, or somebody else is: everything waits for `hurry`. */
  isPaused(): boolean
  /** Writes that are new or different, and ids of removed ones. Called before they are sent. */
  onChanged(changed: readonly Write[], gone: readonly string[]): void
  onSaved(write: Write, response: RecordResponse | null): void
  onRefused(write: Write, refusal: Refusal): void
  onOffline(isOffline: boolean): void
}

export interface Sender {
  take(write: Write): void
  /** What was left behind by an earlier visit or another tab. */
  adopt(writes: readonly Write[]): void
  /** Gives up a refused write, or sends it anyway, upon what the server has now. */
  drop(id: string): void
  insist(id: string): void
  /** Tries at once instead of after the pause. */
  hurry(): void
  stop(): void
}

const REQUESTS_MAX = 4

export function openSender(options: SenderOptions): Sender {
  let writes: Write[] = []
  const inFlight = new Set<string>()
  const blame = openBlame()
  let requests = 0
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  function change(changed: readonly Write[], gone: readonly string[] = []): void {
    const byId = new Map(changed.map(write => [write.id, write]))
    writes = writes.filter(({ id }) => !gone.includes(id)).map(write => byId.get(write.id) ?? write)
    options.onChanged(changed, gone)
  }

  function take(write: Write): void {
    if (writes.some(({ id }) => id === write.id)) return
    const same = writes.filter(({ recordId }) => recordId === write.recordId)
    const earlier = same.at(-1)
    const merged = earlier && !inFlight.has(write.recordId) ? mergeWrites(earlier, write) : 'both'
    // A refused write that the person has answered again is settled by the new one.
    const settled = same.filter(({ refusal }) => refusal).map(({ id }) => id)
    if (merged === 'both') {
      writes = [...writes, write]
      change([write], settled)
    } else {
      const kept = merged === 'nothing' ? [] : [merged]
      writes = writes.flatMap(one => (one.id === earlier?.id ? kept : [one]))
      change(kept, [...(earlier ? [earlier.id] : []), ...(merged === 'nothing' ? [write.id] : [])])
    }
    // What is answered in one go is sent in one request.
    queueMicrotask(pump)
  }

  function pump(): void {
    if (isStopped || timer !== undefined || options.isPaused()) return
    while (requests < REQUESTS_MAX) {
      // After a failure one request finds out whether the server is back.
      if (failures > 0 && requests > 0) return
      const batch = nextBatch(blame.inOrder(writes), inFlight, blame.batchMax())
      if (batch.length === 0) return
      void sendBatch(batch)
    }
  }

  async function sendBatch(batch: Write[]): Promise<void> {
    requests++
    for (const { recordId } of batch) inFlight.add(recordId)
    try {
      if (!(await options.mayAct())) return stop()
      // From now on nothing may be merged into what the server might have.
      const tried = batch.map(write => ({ ...write, tries: write.tries + 1 }))
      change(tried)
      const sent = await options.send(tried)
      failures = 0
      blame.clear(batch)
      options.onOffline(false)
      for (const one of sent) settle(one)
    } catch (error) {
      fail(batch, error)
    } finally {
      requests--
      for (const { recordId } of batch) inFlight.delete(recordId)
      pump()
    }
  }

  function fail(batch: Write[], error: unknown): void {
    failures++
    const culprit = blame.add(batch, error)
    if (culprit) {
      settle({ write: culprit.write, response: null, refusal: culprit.refusal })
      failures = 0
      return
    }
    options.onOffline(true)
    const pause = error instanceof Unreachable ? error.retryAfterMs : null
    timer = setTimeout(resume, pause ?? pauseAfter(failures))
  }

  function settle({ write, response, refusal }: Sent): void {
    const later = writes.filter(({ upon }) => upon === write.id)
    if (refusal && later.length === 0) {
      const refused = { ...write, refusal }
      change([refused])
      options.onRefused(refused, refusal)
      return
    }
    // What the person did since replaces a refused write; what is saved is what the next one is made upon.
    const base = refusal ? { base: write.base, responseId: write.responseId } : toBase(response)
    change(
      later.map(one => ({ ...one, ...base, upon: null })),
      [write.id],
    )
    if (!refusal) options.onSaved(write, response)
  }

  function resume(): void {
    clearTimeout(timer)
    timer = undefined
    pump()
  }

  function stop(): void {
    isStopped = true
    clearTimeout(timer)
  }

  return {
    take,
    stop,
    adopt: left => {
      const known = new Set(writes.map(({ id }) => id))
      const fresh = left.filter(({ id }) => !known.has(id))
      writes = [...writes, ...fresh].sort((a, b) => a.madeAt - b.madeAt)
      change(fresh)
      pump()
    },
    hurry: () => {
      // A try that is still failing must not bring back the long pause.
      failures = 0
      resume()
    },
    drop: id => change([], [id]),
    insist: id => {
      const refused = writes.find(write => write.id === id)
      if (!refused?.refusal) return
      change([{ ...refused, refusal: null, tries: 0, ...toBase(refused.refusal.current) }])
      resume()
    },
  }
}

const toBase = (response: RecordResponse | null) => ({ base: response?.updated_at ?? null, responseId: response?.id ?? null })
