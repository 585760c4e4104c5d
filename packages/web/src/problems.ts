/** Any error -> words for a person. */
import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { DomainError, ShapeError } from '@postil/domain/errors'
import { type MessageKey, t } from './i18n/i18n.ts'

/** Where the server's own words say too little, or speak to programs. */
const WORDS: Partial<Record<DomainError['code'], MessageKey>> = {
  unauthenticated: 'common.problem_signed_out',
  deactivated: 'signIn.deactivated',
  wrong_user: 'shell.taken_title',
  forbidden: 'common.problem_forbidden',
  missing_vector: 'find.missing_vector',
}

export function describeProblem(error: unknown): string {
  if (error instanceof ConnectionError) return t('common.problem_connection')
  if (error instanceof UnexpectedAnswerError) return t('common.problem_status', { status: error.status })
  const words = error instanceof DomainError ? WORDS[error.code] : undefined
  if (words) return t(words)
  if (error instanceof ShapeError || error instanceof DomainError) return error.message
  return t('common.problem_unknown', { message: error instanceof Error ? error.message : String(error) })
}

export const isGone = (error: unknown) => error instanceof DomainError && error.code === 'not_found'
export const isForbidden = (error: unknown) => error instanceof DomainError && error.code === 'forbidden'
