/**
 * The delivery loop: asks what to send (`exchange`), sends it, and reports the outcomes. It holds no state that a crash could
 * lose: a delivery that was sent but not reported is sent again.
 */
import type { Id } from '@postil/domain/schema'
import type { Logger } from 'pino'
import { supervise } from '../../lib/supervise.ts'
import type { Attempt, ExchangeInput, ExchangeResult, Outcome, Task } from './exchange.ts'

/** Minimum time between two exchanges, so that attempts that end together are stored together. */
const EXCHANGE_MS_MIN = 10
/** Pause after a failure to send that is not caused by the target. */
const UNSENT_PAUSE_MS = 1_000
/** With several processes, the interval of checks for work left by others. */
const LOOK_MS = 30_000
/** Interval of checks for webhooks with too many waiting events. */
const OVERFULL_LOOK_MS = 60_000
/** Time for attempts to finish when the server stops. Unfinished ones are repeated after the next start. */
const STOP_MS = 1_000

export interface DeliveryParts {
  /** Identifies this process. */
  process: Id
  exchange(input: ExchangeInput): Promise<ExchangeResult>
  /** Rejects if nothing was sent. */
  send(task: Task): Promise<Outcome>
  /** Lists the numbers of webhooks with too many waiting events. */
  listOverfull(): Promise<number[]>
  now(): string
  log: Logger
  /** True if other processes use the same database. */
  isShared: boolean
}

export interface Delivery {
  /**
   * Called when there may be something to send. `isChanged` is true if webhooks were changed, false if only events were added.
   */
  wake(isChanged?: boolean): void
  stop(): Promise<void>
}

export function openDelivery(parts: DeliveryParts): Delivery {
  const { process, exchange, send, now, log, isShared } = parts
  const inFlight = new Map<Id, Task>()
  let ended: Attempt[] = []
  let isFull = false
  let isStopped = false
  const findOverfull = throttle(parts.listOverfull)
  const turns = createTimer(async () => {
    const waitMs = work.waitMs()
    // A timer may fire a fraction of a millisecond early.
    if (waitMs > 0) turns.plan(waitMs)
    else afterStep(await work.step())
  })
  const work = supervise(step, { name: 'webhooks', log })

  async function step(): Promise<string | null> {
    const overfull = isStopped ? [] : await findOverfull()
    const attempts = ended
    ended = []
    try {
      const exchanged = await exchange({ process, attempts, inFlight: [...inFlight.values()], overfull, isStopping: isStopped })
      isFull = exchanged.isFull
      if (!isStopped) for (const task of exchanged.tasks) void start(task)
      return exchanged.nextAt
    } catch (error) {
      ended = [...attempts, ...ended]
      throw error
    }
  }

  function afterStep(nextAt: string | null): void {
    if (work.waitMs() > 0) turns.plan(work.waitMs())
    else if (nextAt !== null) turns.plan(Math.max(EXCHANGE_MS_MIN, Date.parse(`${nextAt}Z`) - Date.parse(`${now()}Z`)))
    if (isShared) turns.plan(LOOK_MS)
  }

  async function start(task: Task): Promise<void> {
    inFlight.set(task.delivery_id, task)
    const outcome = await send(task).catch((error: unknown): Outcome => {
      if (!isStopped) log.error({ err: error, delivery_id: task.delivery_id }, 'a delivery to a webhook could not be sent')
      return { kind: 'unsent' }
    })
    inFlight.delete(task.delivery_id)
    ended.push({ ...task, outcome })
    turns.plan(outcome.kind === 'unsent' ? UNSENT_PAUSE_MS : EXCHANGE_MS_MIN)
  }

  return {
    wake: (isChanged = false) => {
      if (!isFull || isChanged) turns.plan(EXCHANGE_MS_MIN)
    },
    stop: async () => {
      isStopped = true
      await turns.stop()
      await waitUntil(() => inFlight.size === 0, STOP_MS)
      // Returns the leases, so that other processes need not wait for their end.
      if (ended.length > 0 || isShared) await work.step()
    },
  }
}

/** Limits how often the check runs, because it scans all waiting events. */
function throttle(listOverfull: () => Promise<number[]>): () => Promise<number[]> {
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - lookedAt < OVERFULL_LOOK_MS) return []
    lookedAt = performance.now()
    return listOverfull()
  }
}

async function waitUntil(isSo: () => boolean, msMax: number): Promise<void> {
  const end = performance.now() + msMax
  while (!isSo() && performance.now() < end) await new Promise(resolve => setTimeout(resolve, EXCHANGE_MS_MIN))
}

/** Runs `work` once at the earliest of the planned times, and never concurrently. */
function createTimer(work: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  let at = Number.POSITIVE_INFINITY
  let running: Promise<void> | null = null
  let isStopped = false

  function plan(afterMs: number): void {
    const wanted = performance.now() + afterMs
    if (isStopped || wanted >= at) return
    at = wanted
    clearTimeout(timer)
    if (running === null) timer = setTimeout(fire, afterMs).unref()
  }

  function fire(): void {
    at = Number.POSITIVE_INFINITY
    running = work().finally(() => {
      running = null
      const planned = at
      at = Number.POSITIVE_INFINITY
      if (planned < Number.POSITIVE_INFINITY) plan(Math.max(0, planned - performance.now()))
    })
  }

  return {
    plan,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
