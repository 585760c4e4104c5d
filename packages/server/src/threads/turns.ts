/**
 * Whose turn it is at the writer: weighted fair queueing over the time that each kind of work takes.
 *
 * Each kind has a clock of its own, which advances by the time its work takes, divided by its weight. The kind whose clock is
 * furthest behind has the next turn. So every kind that has work to do gets its share, however much the others have, and a kind that
 * has just had a long turn waits until the others have caught up.
 */

export type Work = 'urgent' | 'bulk' | 'background'

/** Of kinds with equal clocks, the heaviest goes first. Without urgent calls, background work gets a fifth of the time. */
const WEIGHTS: Readonly<Record<Work, number>> = { urgent: 16, bulk: 4, background: 1 }

/** Shorter turns count as this long, so that looking for background work that does not exist takes little of the others' time. */
const TURN_MS_MIN: Readonly<Record<Work, number>> = { urgent: 0, bulk: 0, background: 10 }

export interface Turns {
  /** The next of the kinds that have work to do. Background work always takes part: one has to look to know whether there is any. */
  next(calls: readonly Exclude<Work, 'background'>[]): Work
  /** Runs one turn, and counts the time it takes. */
  run<T>(kind: Work, turn: () => Promise<T>): Promise<T>
}

/** `now` is a clock that is never set back, in milliseconds. */
export function openTurns(now: () => number = () => performance.now()): Turns {
  const clocks: Record<Work, number> = { urgent: 0, bulk: 0, background: 0 }
  /** Where the last turn began. A kind that had nothing to do before starts here: time that it did not use is not saved up. */
  let reached = 0
  let last: Work | null = null
  const clockOf = (kind: Work) => Math.max(clocks[kind], reached)
  const isBefore = (one: Work, other: Work) =>
    clockOf(one) < clockOf(other) || (clockOf(one) === clockOf(other) && WEIGHTS[one] > WEIGHTS[other])
  return {
    next: calls => {
      // No call waits for two pieces of background work.
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
