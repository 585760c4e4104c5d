/** Ends a read that takes too long, between two of its statements. */
import { DomainError } from '@postil/domain/errors'

export interface Deadline {
  /** A read begins. */
  start(): void
  /** Throws when the read that began last has taken too long. */
  check(): void
}

export function openDeadline(limitMs: number, nowMs: () => number = () => performance.now()): Deadline {
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
