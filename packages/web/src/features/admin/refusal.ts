/** Why a call of these pages failed, in words for an owner. */
import { ShapeError } from '@postil/domain/errors'
import { t } from '../../i18n/i18n.ts'
import { describeProblem, isForbidden } from '../../problems.ts'

export function describeRefusal(error: unknown): string {
  if (isForbidden(error)) return t('admin.forbidden_text')
  if (error instanceof ShapeError) return error.problems.map(({ msg }) => msg).join(' ')
  return describeProblem(error)
}
