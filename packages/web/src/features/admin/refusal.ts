/** Error messages of the administration pages. */
import { UnexpectedAnswerError } from '@postil/client'
import { t } from '../../i18n/i18n.ts'
import { describeProblem, isForbidden } from '../../problems.ts'

/** The server answers a failed ping with status 500 and the reason as text, because existing clients expect that status. */
export const describeFailedPing = (error: unknown): string =>
  error instanceof UnexpectedAnswerError && error.status === 500 && error.text !== '' ? error.text : describeRefusal(error)

export function describeRefusal(error: unknown): string {
  if (isForbidden(error)) return t('admin.forbidden_text')
  return describeProblem(error)
}
