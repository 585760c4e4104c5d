import { DomainError } from '@postil/domain/errors'

/** Reason for a failed sign-in. */
export type Refusal = { kind: 'wrong' } | { kind: 'wait'; seconds: number } | { kind: 'other'; error: unknown }

const WAIT_SECONDS_MAX = 3600

export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof DomainError)) return { kind: 'other', error }
  if (error.code === 'unauthenticated') return { kind: 'wrong' }
  const seconds = error.code === 'too_many_attempts' ? Number(/(\d+) seconds?/.exec(error.message)?.[1]) : Number.NaN
  return seconds > 0 ? { kind: 'wait', seconds: Math.min(seconds, WAIT_SECONDS_MAX) } : { kind: 'other', error }
}
