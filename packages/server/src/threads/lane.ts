/**
 * Calls on their way to one thread. Persons take turns, a few calls are in flight, the others wait here, on the main
 * thread, where they can be limited, dropped and held back.
 */
import { DomainError, TooManyAttempts } from '@postil/domain/errors'
import { openFairQueue } from './fair-queue.ts'

/** Beyond this many waiting calls new ones are refused: a clear 503 is better than a process without memory. */
const CALLS_MAX = 2_000
/** Calls of one person, waiting and in flight. */
const CALLS_OF_PERSON_MAX = 256

export interface Asked {
  person: string
  /** True when nobody waits for the answer any more. Only for reads: a write that was sent is done. */
  isGone?: (() => boolean) | undefined
}

export interface LaneLimits {
  inFlight: number
  ofPerson?: number
  waiting?: number
}

export interface Lane {
  /** Calls that wait or are in flight. */
  readonly load: number
  /** Runs `work` when it is this person's turn. */
  run<T>(asked: Asked, work: () => Promise<T>): Promise<T>
  /** Starts nothing more. Resolves when nothing is in flight: true, or false when that takes longer than `withinMs`. */
  hold(withinMs: number): Promise<boolean>
  release(): void
}

interface Waiting extends Asked {
  start(): Promise<void>
  drop(): void
}

export function openLane({
  inFlight: inFlightMax,
  ofPerson = CALLS_OF_PERSON_MAX,
  waiting: waitingMax = CALLS_MAX,
}: LaneLimits): Lane {
  const queue = openFairQueue<Waiting>()
  const callsOf = new Map<string, number>()
  let inFlight = 0
  let isHeld = false
  let onIdle: (() => void) | null = null

  const forget = (person: string) => {
    const calls = (callsOf.get(person) ?? 1) - 1
    if (calls === 0) callsOf.delete(person)
    else callsOf.set(person, calls)
  }

  function startNext(): void {
    while (!isHeld && inFlight < inFlightMax) {
      const next = queue.take()
      if (next === undefined) return
      if (isGone(next)) drop(next)
      else void finish(next)
    }
  }

  const isGone = (waiting: Waiting) => waiting.isGone?.() === true
  function drop(waiting: Waiting): void {
    forget(waiting.person)
    waiting.drop()
  }

  async function finish(waiting: Waiting): Promise<void> {
    inFlight++
    await waiting.start()
    inFlight--
    forget(waiting.person)
    if (inFlight === 0) onIdle?.()
    startNext()
  }

  return {
    get load() {
      return queue.size + inFlight
    },
    run: (asked, work) => {
      // Whoever gave up and asks again is not held to what they gave up.
      if ((callsOf.get(asked.person) ?? 0) >= ofPerson) for (const gone of queue.remove(asked.person, isGone)) drop(gone)
      const calls = callsOf.get(asked.person) ?? 0
      if (calls >= ofPerson) throw new TooManyAttempts(1, `You have ${calls} requests waiting.`)
      if (queue.size >= waitingMax) throw new DomainError('unavailable', 'Too many requests are waiting. Try again in a moment.')
      callsOf.set(asked.person, calls + 1)
      return new Promise((resolve, reject) => {
        const start = () => work().then(resolve, reject)
        const drop = () => reject(new DomainError('unavailable', 'The connection was closed before the request had its turn'))
        queue.push(asked.person, { ...asked, start, drop })
        startNext()
      })
    },
    hold: async withinMs => {
      isHeld = true
      if (inFlight === 0) return true
      const idle = Promise.withResolvers<boolean>()
      onIdle = () => idle.resolve(true)
      const timer = setTimeout(() => idle.resolve(false), withinMs)
      const isIdle = await idle.promise
      clearTimeout(timer)
      onIdle = null
      return isIdle
    },
    release: () => {
      isHeld = false
      startNext()
    },
  }
}
