/**
 * Order of work in the writer: weighted fair queueing by the time that each kind of work takes.
 *
 * Each kind has a virtual clock, which advances by the time its work takes, divided by its weight. The kind whose clock is
 * furthest behind has the next turn. Every kind with work therefore gets its share, however much work the others have, and a kind
 * that had a long turn waits until the others have caught up.
 */

export type Work = 'urgent' | 'bulk' | 'background'

/**
 * If clocks are equal, the kind with the highest weight goes first. Without urgent calls, background work gets a fifth of the
 * time.
 */
const WEIGHTS: Readonly<Record<Work, number>> = { urgent: 16, bulk: 4, background: 1 }

/** Minimum time that a turn counts, so that checking for background work when there is none takes little time from the others. */
const TURN_MS_MIN: Readonly<Record<Work, number>> = { urgent: 0, bulk: 0, background: 10 }

export interface Turns {
  /**
   * Returns the next kind among those with work. Background work always takes part, because only a turn shows whether there is
   * any.
   */
  next(calls: readonly Exclude<Work, 'background'>[]): Work
  /** Runs one turn and measures its time. */
  run<T>(kind: Work, turn: () => Promise<T>): Promise<T>
}

/** `now` is a monotonic clock in milliseconds. */
export function createTurns(now: () => number = () => performance.now()): Turns {
  const clocks: Record<Work, number> = { urgent: 0, bulk: 0, background: 0 }
  /**
   * Virtual time at which the last turn began. A kind that was idle continues from here, so that unused time does not accumulate.
   */
  let reached = 0
  let last: Work | null = null
  const clockOf = (kind: Work) => Math.max(clocks[kind], reached)
  const isBefore = (one: Work, other: Work) =>
    clockOf(one) < clockOf(other) || (clockOf(one) === clockOf(other) && WEIGHTS[one] > WEIGHTS[other])
  return {
    next: calls => {
      // No call waits for two background steps in a row.
      const kinds: readonly Work[] = last === 'background' && calls.length > 0 ? calls : [...calls, 'background']
      return kinds.reduce((next, kind) => (isBefore(kind, next) ? kind : next))
    },
    run: async (kind, turn) => {
      reached = clockOf(kind)
      last = kind
      const started = now()
      try {
        return await turn()
      } finally {
        clocks[kind] = reached + Math.max(now() - started, TURN_MS_MIN[kind]) / WEIGHTS[kind]
      }
    },
  }
}
