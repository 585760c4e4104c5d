/** Any error -> words for a person. */
import { ConnectionError, UnexpectedAnswerError } from '@postil/client'
import { DomainError, ShapeError } from '@postil/domain/errors'
import { t } from './i18n/i18n.ts'

export function describeProblem(error: unknown): string {
  if (error instanceof ConnectionError) return t('common.problem_connection')
  if (error instanceof UnexpectedAnswerError) return t('common.problem_status', { status: error.status })
  if (error instanceof DomainError && error.code === 'missing_vector') return t('find.missing_vector')
  if (error instanceof ShapeError || error instanceof DomainError) return error.message
  return t('common.problem_unknown', { message: error instanceof Error ? error.message : String(error) })
}

export const isGone = (error: unknown) => error instanceof DomainError && error.code === 'not_found'
export const isForbidden = (error: unknown) => error instanceof DomainError && error.code === 'forbidden'
