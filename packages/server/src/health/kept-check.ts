/** A check that anybody may ask for: it runs once for all who ask, and its outcome is kept for a moment. */

export interface CheckLimits {
  /** How long an outcome is kept. */
  keepMs: number
  /** How long a check may take. */
  limitMs: number
}

/**
 * Answers `late` while a check takes longer than its limit; another one does not begin before it ends. `work` must not reject.
 */
export function openKeptCheck<T>(work: () => Promise<T>, late: T, { keepMs, limitMs }: CheckLimits): () => Promise<T> {
  let kept: { outcome: T; until: number } | null = null
  let running: { outcome: Promise<T>; endsAt: number } | null = null

  const begin = () => {
    const outcome = work().then(done => {
      kept = { outcome: done, until: performance.now() + keepMs }
      running = null
      return done
    })
    return { outcome, endsAt: performance.now() + limitMs }
  }
  return async () => {
    if (kept !== null && performance.now() < kept.until) return kept.outcome
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
