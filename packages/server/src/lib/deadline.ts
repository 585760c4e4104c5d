/** Ends a read that takes too long, between two of its statements. */
import { DomainError } from '@postil/domain/errors'

export interface Deadline {
  /** Starts the time limit of a read. */
  start(): void
  /** Throws if the current read has exceeded the limit. */
  check(): void
}

export function createDeadline(limitMs: number, nowMs: () => number = () => performance.now()): Deadline {
  let endsAt = Number.POSITIVE_INFINITY
  return {
    start: () => {
      endsAt = nowMs() + limitMs
    },
    check: () => {
      if (nowMs() <= endsAt) return
      throw new DomainError(
        'unavailable',
        `The search takes longer than ${limitMs / 1000} seconds. Narrow it: fewer words, prefixes and misspelt words in the query text, fewer filters, or a page nearer to the beginning.`,
      )
    },
  }
}
