/**
 * Queue of calls to one thread. Users take turns. A few calls are in flight; the others wait on the main thread, where they can
 * be limited, dropped and held back.
 */
import { DomainError, TooManyAttempts } from '@postil/domain/errors'
import { createFairQueue } from './fair-queue.ts'

/** Maximum number of waiting calls. Beyond it, new calls receive a 503, so that the process does not run out of memory. */
const CALLS_MAX = 2_000
/** Maximum number of calls of one user, both waiting and in flight. */
const CALLS_OF_PERSON_MAX = 256

export interface CallSource {
  person: string
  /** Returns true if the client has disconnected. Only for reads: writes run in any case. */
  isGone?: (() => boolean) | undefined
}

export interface LaneLimits {
  inFlight: number
  ofPerson?: number
  waiting?: number
  /** Receives the wait time and run time of each call. */
  measure?: ((waitMs: number, runMs: number) => void) | undefined
}

export interface Lane {
  /** Number of calls that wait or are in flight. */
  readonly load: number
  readonly inFlight: number
  /** Runs `work` when it is the user's turn. */
  run<T>(source: CallSource, work: () => Promise<T>): Promise<T>
  /**
   * Starts no further calls. Resolves with true when no call is in flight, or with false if that takes longer than `withinMs`.
   */
  hold(withinMs: number): Promise<boolean>
  release(): void
}

interface WaitingCall extends CallSource {
  start(): Promise<void>
  drop(): void
}

export function createLane(limits: LaneLimits): Lane {
  const queue = createFairQueue<WaitingCall>()
  const calls = createCounts()
  let inFlight = 0
  let isHeld = false
  let onIdle = () => {}

  function startNext(): void {
    while (!isHeld && inFlight < limits.inFlight) {
      const next = queue.take()
      if (next === undefined) return
      void (isGone(next) ? drop(next) : finish(next))
    }
  }

  async function finish(waiting: WaitingCall): Promise<void> {
    inFlight++
    await waiting.start()
    inFlight--
    calls.remove(waiting.person)
    if (inFlight === 0) onIdle()
    startNext()
  }

  const drop = (waiting: WaitingCall) => {
    calls.remove(waiting.person)
    waiting.drop()
  }
  return {
    get load() {
      return queue.size + inFlight
    },
    get inFlight() {
      return inFlight
    },
    run: (source, work) => {
      const { person } = source
      // Calls whose client has disconnected do not count.
      if (calls.of(person) >= toLimits(limits).ofPerson) for (const gone of queue.remove(person, isGone)) drop(gone)
      checkRoom(limits, { ofPerson: calls.of(person), waiting: queue.size })
      calls.add(person)
      return new Promise((resolve, reject) => {
        const start = toMeasured(limits, () => work().then(resolve, reject))
        queue.push(person, { ...source, start, drop: () => reject(GONE) })
        startNext()
      })
    },
    hold: async withinMs => {
      isHeld = true
      if (inFlight === 0) return true
      const { promise: idle, resolve } = Promise.withResolvers<boolean>()
      onIdle = () => resolve(true)
      return within(withinMs, idle)
    },
    release: () => {
      isHeld = false
      startNext()
    },
  }
}

/** The wait time starts now and ends when the returned function is called. */
function toMeasured({ measure }: LaneLimits, start: () => Promise<void>): () => Promise<void> {
  if (!measure) return start
  const since = performance.now()
  return async () => {
    const startedAt = performance.now()
    await start()
    measure(startedAt - since, performance.now() - startedAt)
  }
}

const toLimits = ({ ofPerson = CALLS_OF_PERSON_MAX, waiting = CALLS_MAX }: LaneLimits) => ({ ofPerson, waiting })

function checkRoom(limits: LaneLimits, { ofPerson, waiting }: { ofPerson: number; waiting: number }): void {
  const most = toLimits(limits)
  if (ofPerson >= most.ofPerson) throw new TooManyAttempts(1, `You have ${ofPerson} requests waiting.`)
  if (waiting >= most.waiting) throw new DomainError('unavailable', 'Too many requests are waiting. Try again in a moment.')
}

const GONE = new DomainError('unavailable', 'The connection was closed before the request had its turn')

const isGone = (waiting: WaitingCall) => waiting.isGone?.() === true

/** Number of calls by user. */
function createCounts() {
  const counts = new Map<string, number>()
  const of = (person: string) => counts.get(person) ?? 0
  return {
    of,
    add: (person: string) => void counts.set(person, of(person) + 1),
    remove: (person: string) => {
      if (of(person) > 1) counts.set(person, of(person) - 1)
      else counts.delete(person)
    },
  }
}

/** Resolves with false if `outcome` takes longer than `milliseconds`. */
async function within(milliseconds: number, outcome: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), milliseconds)
  const result = await Promise.race([outcome, late.promise])
  clearTimeout(timer)
  return result
}
