/**
 * Supervises background work: a failure is logged and counted, and the work is tried again after a pause that doubles with
 * every failure in a row. It never rejects, so that no background failure can end the process.
 */
import type { Logger } from 'pino'

const PAUSE_MS_MIN = 1_000
const PAUSE_MS_MAX = 60_000

export interface Supervised<T> {
  /** Runs the work once; null if it failed, or if it must wait after a failure. */
  step(): Promise<T | null>
  /** How long `step` still does nothing. */
  waitMs(): number
}

interface Options {
  /** Of the work, for the log. */
  name: string
  log: Logger
  /** A clock that is never set back, in milliseconds. */
  now?: () => number
}

export function supervise<T>(work: () => Promise<T>, { name, log, now = () => performance.now() }: Options): Supervised<T> {
  let failures = 0
  let retryAt = Number.NEGATIVE_INFINITY
  const fail = (error: unknown) => {
    failures++
    const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** (failures - 1))
    retryAt = now() + pauseMs
    log.error({ task: name, failures, retry_in_ms: pauseMs, err: error }, 'background task failed')
    return null
  }
  const succeed = (result: T) => {
    if (failures > 0) log.info({ task: name, failures }, 'background task works again')
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
