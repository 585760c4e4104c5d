/** Why a call of these pages failed, in words for an owner. */
import { UnexpectedAnswerError } from '@postil/client'
import { ShapeError } from '@postil/domain/errors'
import { t } from '../../i18n/i18n.ts'
import { describeProblem, isForbidden } from '../../problems.ts'

/** The server answers 500 to a ping that reached nobody, and says why: clients know that status. */
export const describeFailedPing = (error: unknown): string =>
  error instanceof UnexpectedAnswerError && error.status === 500 && error.text !== '' ? error.text : describeRefusal(error)

export function describeRefusal(error: unknown): string {
  if (isForbidden(error)) return t('admin.forbidden_text')
  if (error instanceof ShapeError) return error.problems.map(({ msg }) => msg).join(' ')
  return describeProblem(error)
}
