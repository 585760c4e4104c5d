import { DomainError, ShapeError } from '@postil/domain/errors'
import { t } from '../../i18n/i18n.ts'
import { describeProblem, isGone } from '../../problems.ts'

/** Why a sign-in with a provider did not end well, in words for the person. */
export function toReason(error: unknown): string {
  const isOurs = error instanceof DomainError && ['code', 'state'].includes(String(error.at[0]))
  if (isOurs || error instanceof ShapeError) return t('signIn.expired')
  if (isGone(error)) return t('signIn.no_provider')
  // What the provider says; shown as text.
  return describeProblem(error)
}
