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

export function openLane(limits: LaneLimits): Lane {
  const { ofPerson = CALLS_OF_PERSON_MAX, waiting = CALLS_MAX } = limits
  const queue = openFairQueue<Waiting>()
  const calls = openCounts()
  let inFlight = 0
  let isHeld = false
  let onIdle: () => void = () => {}

  function startNext(): void {
    while (!isHeld && inFlight < limits.inFlight) {
      const next = queue.take()
      if (next === undefined) return
      if (isGone(next)) next.drop()
      else void finish(next)
    }
  }

  async function finish(next: Waiting): Promise<void> {
    inFlight++
    await next.start()
    inFlight--
    if (inFlight === 0) onIdle()
    startNext()
  }

  function checkRoom({ person }: Asked): void {
    // Whoever gave up and asks again is not held to what they gave up.
    if (calls.of(person) >= ofPerson) for (const gone of queue.remove(person, isGone)) gone.drop()
    if (calls.of(person) >= ofPerson) throw new TooManyAttempts(1, WAIT)
    if (queue.size >= waiting) throw new DomainError('unavailable', 'Too many requests are waiting. Try again in a moment.')
  }

  return {
    get load() {
      return queue.size + inFlight
    },
    run: (asked, work) => {
      checkRoom(asked)
      calls.add(asked.person)
      const { waiting: next, outcome } = toWaiting(asked, work, () => calls.remove(asked.person))
      queue.push(asked.person, next)
      startNext()
      return outcome
    },
    hold: async withinMs => {
      isHeld = true
      const idle = Promise.withResolvers<boolean>()
      onIdle = () => idle.resolve(true)
      return inFlight === 0 || within(withinMs, idle.promise)
    },
    release: () => {
      isHeld = false
      startNext()
    },
  }
}

const WAIT = 'You have too many requests waiting. Try again when some are answered.'
const GONE = new DomainError('unavailable', 'The connection was closed before the request had its turn')

/** `onEnd` is called once, however the call ends. */
function toWaiting<T>(asked: Asked, work: () => Promise<T>, onEnd: () => void): { waiting: Waiting; outcome: Promise<T> } {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const start = () => work().then(resolve, reject).then(onEnd)
  const drop = () => {
    onEnd()
    reject(GONE)
  }
  return { waiting: { ...asked, start, drop }, outcome: promise }
}

const isGone = (waiting: Waiting) => waiting.isGone?.() === true

/** How many calls each person has. */
function openCounts() {
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

/** The outcome, or false when it takes longer. */
async function within(milliseconds: number, outcome: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), milliseconds)
  const result = await Promise.race([outcome, late.promise])
  clearTimeout(timer)
  return result
}
