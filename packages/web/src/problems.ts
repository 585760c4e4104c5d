/** Turns errors into messages for users. */
import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { DomainError, type ErrorCode, ShapeError } from '@postil/domain/errors'
import { type MessageKey, t } from './i18n/i18n.ts'

/** Codes whose message does not need the server's text. */
const WORDS: Partial<Record<ErrorCode, MessageKey>> = {
  unauthenticated: 'common.problem_signed_out',
  deactivated: 'signIn.deactivated',
  wrong_user: 'shell.taken_title',
  forbidden: 'problems.no_access',
  not_found: 'problems.gone',
  missing_vector: 'find.missing_vector',
  too_many_attempts: 'problems.too_many',
  storage_full: 'problems.storage_full',
}

/** Codes whose message precedes the server's text, which is in English and contains the details. */
const BEFORE_DETAILS: Partial<Record<ErrorCode, MessageKey>> = {
  too_large: 'problems.too_large',
  unavailable: 'problems.not_now',
}

export function describeProblem(error: unknown): string {
  const words = findWords(error)
  if (words !== null) return words
  if (error instanceof ShapeError || error instanceof DomainError) return t('problems.refused', { message: serverTextOf(error) })
  return t('common.problem_unknown', { message: error instanceof Error ? error.message : String(error) })
}

/** Returns only the reason, for texts that already say what failed, such as *Not saved: …*. */
export function describeReason(error: unknown): string {
  if (error instanceof DomainError && BEFORE_DETAILS[error.code]) return error.message
  const words = findWords(error)
  if (words !== null) return words
  return error instanceof ShapeError || error instanceof DomainError ? serverTextOf(error) : describeProblem(error)
}

function findWords(error: unknown): string | null {
  if (error instanceof ConnectionError) return t('common.problem_connection')
  if (error instanceof UnexpectedAnswerError) return t('common.problem_status', { status: error.status })
  if (!(error instanceof DomainError)) return null
  // The identity provider's message is written for the user who signs in.
  if (error.code === 'provider_refused') return error.message
  const [words, before] = [WORDS[error.code], BEFORE_DETAILS[error.code]]
  if (words) return t(words)
  return before ? t(before, { message: withoutAdvice(error.message) }) : null
}

/** Removes *Try again …* from the server's text, because the words before it already say so. */
const withoutAdvice = (message: string) =>
  message
    .replace(/\s*Try again(?: later| in a moment| in a few seconds| in \d+ seconds?)?\.?$/, '')
    .replace(/Try again later; if/, 'If')

const serverTextOf = (error: ShapeError | DomainError): string =>
  error instanceof ShapeError ? error.problems.map(({ msg }) => msg).join(' ') : error.message

export const isGone = (error: unknown) => error instanceof DomainError && error.code === 'not_found'
export const isForbidden = (error: unknown) => error instanceof DomainError && error.code === 'forbidden'
