import { DomainError } from '@postil/domain/errors'
import { t } from '../i18n/i18n.ts'
import { describeProblem } from '../problems.ts'

/** Reason for a failed sign-in. */
export type Refusal = { kind: 'wrong' } | { kind: 'wait'; seconds: number } | { kind: 'other'; error: unknown }

const WAIT_SECONDS_MAX = 3600

export function toRefusal(error: unknown): Refusal {
  if (!(error instanceof DomainError)) return { kind: 'other', error }
  if (error.code === 'unauthenticated') return { kind: 'wrong' }
  const seconds = error.code === 'too_many_attempts' ? Number(/(\d+) seconds?/.exec(error.message)?.[1]) : Number.NaN
  return seconds > 0 ? { kind: 'wait', seconds: Math.min(seconds, WAIT_SECONDS_MAX) } : { kind: 'other', error }
}

/** `isWaiting`: the waiting time is not over yet. */
export function describeRefusal(refusal: Refusal, isWaiting: boolean): string {
  if (refusal.kind === 'wrong') return t('signIn.wrong')
  if (refusal.kind === 'other') return describeProblem(refusal.error)
  return isWaiting ? t('signIn.too_many', { seconds: refusal.seconds }) : t('signIn.too_many_now')
}
