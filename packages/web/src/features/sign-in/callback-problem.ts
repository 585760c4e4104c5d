import { DomainError, ShapeError } from '@postil/domain/errors'
import { t } from '../../i18n/i18n.ts'
import { describeReason, isGone } from '../../problems.ts'

/** Error messages for a failed sign-in with an identity provider. */
export function toReason(error: unknown): string {
  const isOurs = error instanceof DomainError && ['code', 'state'].includes(String(error.at[0]))
  if (isOurs || error instanceof ShapeError) return t('signIn.expired')
  if (isGone(error)) return t('signIn.no_provider')
  // The provider's own message; rendered as text, not as HTML.
  return describeReason(error)
}
