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
  /** Told of each call how long it waited, and how long it was in flight. */
  measure?: ((waitMs: number, runMs: number) => void) | undefined
}

export interface Lane {
  /** Calls that wait or are in flight. */
  readonly load: number
  readonly inFlight: number
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
  const queue = openFairQueue<Waiting>()
  const calls = openCounts()
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

  async function finish(waiting: Waiting): Promise<void> {
    inFlight++
    await waiting.start()
    inFlight--
    calls.remove(waiting.person)
    if (inFlight === 0) onIdle()
    startNext()
  }

  const drop = (waiting: Waiting) => {
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
    run: (asked, work) => {
      const { person } = asked
      // Calls that the person has given up do not count.
      if (calls.of(person) >= toMost(limits).ofPerson) for (const gone of queue.remove(person, isGone)) drop(gone)
      checkRoom(limits, { ofPerson: calls.of(person), waiting: queue.size })
      calls.add(person)
      return new Promise((resolve, reject) => {
        const start = toMeasured(limits, () => work().then(resolve, reject))
        queue.push(person, { ...asked, start, drop: () => reject(GONE) })
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

/** It waits from now until it is called. */
function toMeasured({ measure }: LaneLimits, start: () => Promise<void>): () => Promise<void> {
  if (!measure) return start
  const since = performance.now()
  return async () => {
    const startedAt = performance.now()
    await start()
    measure(startedAt - since, performance.now() - startedAt)
  }
}

const toMost = ({ ofPerson = CALLS_OF_PERSON_MAX, waiting = CALLS_MAX }: LaneLimits) => ({ ofPerson, waiting })

function checkRoom(limits: LaneLimits, { ofPerson, waiting }: { ofPerson: number; waiting: number }): void {
  const most = toMost(limits)
  if (ofPerson >= most.ofPerson) throw new TooManyAttempts(1, `You have ${ofPerson} requests waiting.`)
  if (waiting >= most.waiting) throw new DomainError('unavailable', 'Too many requests are waiting. Try again in a moment.')
}

const GONE = new DomainError('unavailable', 'The connection was closed before the request had its turn')

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
