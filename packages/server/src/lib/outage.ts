/**
 * Limits log lines about repeated failures: one at the beginning, one a minute while the outage lasts, and one at its end.
 * Frequent short outages are not logged each time.
 */

/** Interval between lines about the same outage. */
const REPEAT_MS = 60_000
/** Minimum time before a line about the next outage. */
const NEXT_MS = 10_000

export interface Outage {
  /** Consecutive failures. */
  readonly failures: number
  /** Counts a failure. Returns true if it should be logged. */
  fail(): boolean
  /** Records a success. Returns true if it should be logged because the failure was. */
  end(): boolean
}

/** `now` is a monotonic clock in milliseconds. */
export function createOutage(now: () => number = () => performance.now()): Outage {
  let failures = 0
  let isLogged = false
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    get failures() {
      return failures
    },
    fail: () => {
      failures++
      if (now() - loggedAt < (isLogged ? REPEAT_MS : NEXT_MS)) return false
      loggedAt = now()
      isLogged = true
      return true
    },
    end: () => {
      const wasLogged = isLogged
      failures = 0
      isLogged = false
      return wasLogged
    },
  }
}
