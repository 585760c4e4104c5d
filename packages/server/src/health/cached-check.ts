/** Health check without authentication: concurrent callers share one run, and its result is cached for a short time. */

export interface CheckLimits {
  /** How long a result is cached, in milliseconds. */
  keepMs: number
  /** Timeout of a check, in milliseconds. */
  limitMs: number
}

/**
 * Returns `late` if a check takes longer than its timeout; a new check does not start before the running one ends. `work` must
 * not reject.
 */
export function createCachedCheck<T>(work: () => Promise<T>, late: T, { keepMs, limitMs }: CheckLimits): () => Promise<T> {
  let cached: { outcome: T; until: number } | null = null
  let running: { outcome: Promise<T>; endsAt: number } | null = null

  const begin = () => {
    const outcome = work().then(done => {
      cached = { outcome: done, until: performance.now() + keepMs }
      running = null
      return done
    })
    return { outcome, endsAt: performance.now() + limitMs }
  }
  return async () => {
    if (cached !== null && performance.now() < cached.until) return cached.outcome
    running ??= begin()
    return within(running.outcome, late, running.endsAt - performance.now())
  }
}

async function within<T>(outcome: Promise<T>, late: T, limitMs: number): Promise<T> {
  if (limitMs <= 0) return late
  const limit = Promise.withResolvers<T>()
  const timer = setTimeout(() => limit.resolve(late), limitMs)
  const first = await Promise.race([outcome, limit.promise])
  clearTimeout(timer)
  return first
}
