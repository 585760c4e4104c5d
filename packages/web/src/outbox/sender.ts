/**
 * Sends writes to the server in the background, in order per record, and retries until the server responds. Network errors and
 * failed requests lose nothing, and no write is applied twice. Runs in the leader tab.
 */
import type { RecordResponse } from '@postil/domain/responses'
import { createFailureTracker } from './failure-tracker.ts'
import { TemporaryError, type WriteResult } from './send.ts'
import { mergeWrites, nextBatch, pauseAfter, type Refusal, type Write } from './write.ts'

export interface SenderOptions {
  send(batch: Write[]): Promise<WriteResult[]>
  /** False if another tab is the leader now. */
  mayAct(): Promise<boolean>
  /** True while no user or another user is signed in. All writes wait for `hurry`. */
  isPaused(): boolean
  /** Reports new and changed writes, and ids of removed ones. Called before they are sent. */
  onChanged(changed: readonly Write[], gone: readonly string[]): void
  onSaved(write: Write, response: RecordResponse | null): void
  onRefused(write: Write, refusal: Refusal): void
  onOffline(isOffline: boolean): void
}

export interface Sender {
  take(write: Write): void
  /** Adds writes left over from an earlier visit or another tab. */
  adopt(writes: readonly Write[]): void
  /** `drop` discards a rejected write; `insist` sends it again and replaces the server's current response. */
  drop(id: string): void
  insist(id: string): void
  /** Retries immediately instead of after the pause. */
  hurry(): void
  stop(): void
}

const REQUESTS_MAX = 4

export function openSender(options: SenderOptions): Sender {
  let writes: Write[] = []
  const inFlight = new Set<string>()
  const failureTracker = createFailureTracker()
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
    // A new answer to the record settles its rejected write.
    const settled = same.filter(({ refusal }) => refusal).map(({ id }) => id)
    if (merged === 'both') {
      writes = [...writes, write]
      change([write], settled)
    } else {
      const kept = merged === 'nothing' ? [] : [merged]
      writes = writes.flatMap(one => (one.id === earlier?.id ? kept : [one]))
      change(kept, [...(earlier ? [earlier.id] : []), ...(merged === 'nothing' ? [write.id] : [])])
    }
    // Deferred to a microtask, so that answers given together are sent in one request.
    queueMicrotask(pump)
  }

  function pump(): void {
    if (isStopped || timer !== undefined || options.isPaused()) return
    while (requests < REQUESTS_MAX) {
      // After a failure, a single request at a time probes whether the server is back.
      if (failures > 0 && requests > 0) return
      const batch = nextBatch(failureTracker.suspectsLast(writes), inFlight, failureTracker.batchMax())
      if (batch.length === 0) return
      void sendBatch(batch)
    }
  }

  async function sendBatch(batch: Write[]): Promise<void> {
    requests++
    for (const { recordId } of batch) inFlight.add(recordId)
    try {
      if (!(await options.mayAct())) return stop()
      // The server may have these writes from now on, so later ones must not be merged into them.
      const tried = batch.map(write => ({ ...write, tries: write.tries + 1 }))
      change(tried)
      const sent = await options.send(tried)
      failures = 0
      failureTracker.clear(batch)
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
    const culprit = failureTracker.add(batch, error)
    if (culprit) {
      settle({ write: culprit.write, response: null, refusal: culprit.refusal })
      failures = 0
      return
    }
    options.onOffline(true)
    const pause = error instanceof TemporaryError ? error.retryAfterMs : null
    timer = setTimeout(resume, pause ?? pauseAfter(failures))
  }

  function settle({ write, response, refusal }: WriteResult): void {
    const later = writes.filter(({ upon }) => upon === write.id)
    if (refusal && later.length === 0) {
      const refused = { ...write, refusal }
      change([refused])
      options.onRefused(refused, refusal)
      return
    }
    // Later writes replace a rejected write, or use the saved response as their new base.
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
      // Resets the backoff, so that a request that is still failing does not bring back the long pause.
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
