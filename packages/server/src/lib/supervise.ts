/**
 * Supervises background work: failures are logged and counted, and the work is retried with exponential backoff. It never
 * rejects, so that a background failure cannot end the process.
 */
import type { Logger } from 'pino'
import { createOutage } from './outage.ts'

const PAUSE_MS_MIN = 1_000
const PAUSE_MS_MAX = 60_000

export interface SupervisedTask<T> {
  /** Runs the work once; returns null if it failed, or if it is still waiting after a failure. */
  step(): Promise<T | null>
  /** Remaining time in which `step` does nothing. */
  waitMs(): number
}

interface Options {
  /** Name of the work in the log. */
  name: string
  log: Logger
  /**
   * True for failures of a dependency, such as the database: they are logged without a stack trace, and once a minute while they
   * last.
   */
  isOutage?: (error: unknown) => boolean
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

export function supervise<T>(
  work: () => Promise<T>,
  { name, log, isOutage = () => false, now = () => performance.now() }: Options,
): SupervisedTask<T> {
  const outage = createOutage(now)
  /** True if the last logged result was a failure. */
  let isLogged = false
  let failures = 0
  let retryAt = Number.NEGATIVE_INFINITY
  const fail = (error: unknown) => {
    failures++
    const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** (failures - 1))
    retryAt = now() + pauseMs
    const known = { task: name, failures, retry_in_ms: pauseMs }
    if (!isOutage(error)) log.error({ ...known, err: error }, 'background task failed')
    else if (outage.fail()) log.error({ ...known, reason: (error as Error).message }, 'background task failed')
    else return null
    isLogged = true
    return null
  }
  const succeed = (result: T) => {
    if (isLogged) log.info({ task: name, failures }, 'background task works again')
    isLogged = false
    outage.end()
    failures = 0
    return result
  }
  const waitMs = () => Math.max(0, retryAt - now())
  return {
    waitMs,
    step: async () => {
      if (waitMs() > 0) return null
      try {
        return succeed(await work())
      } catch (error) {
        return fail(error)
      }
    },
  }
}
