/** Errors of providers, in messages for the user who signs in. */
import { DomainError, invalid } from '@postil/domain/errors'
import type { OpenContext } from '../../context.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import { ProviderUnreachable } from './limited-fetch.ts'

const TEXT_LENGTH_MAX = 300

/** Reduces untrusted text to one short line. It must be displayed as plain text, not as HTML. */
export const toPlainText = (text: string): string =>
  [...text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()].slice(0, TEXT_LENGTH_MAX).join('')

export const refusedError = (message: string) => new DomainError('provider_refused', message)

/** Converts a refusal by the provider: `error` and `error_description` of the protocol. */
export function toRefusal({ title }: ProviderConfig, error: string, description: string | undefined): DomainError {
  if (error === 'access_denied' && !description) return refusedError(`${title} did not sign you in: access was denied.`)
  return refusedError(`${title} did not sign you in: ${toPlainText(description || error)}`)
}

/**
 * Converts an error of the protocol library. Its causes contain responses with tokens, so only its own message is logged; errors
 * that the provider reports deliberately are shown to the user.
 */
export function toProviderError({ log }: Pick<OpenContext, 'log'>, provider: ProviderConfig, thrown: unknown): Error {
  if (thrown instanceof DomainError) return thrown
  const { name, title } = provider
  const { message, error, error_description, code } = thrown as Error & Record<'error' | 'error_description' | 'code', unknown>
  const unreachable = findUnreachable(thrown)
  if (unreachable) {
    log.warn({ provider: name, reason: unreachable.message }, 'a sign-in provider does not answer')
    return invalid(`${title} cannot be reached, or its answer cannot be used: ${unreachable.message}. Try again later.`)
  }
  // Detects protocol errors without `instanceof`, because the library is loaded lazily.
  if (typeof error === 'string' && typeof message === 'string') {
    log.warn({ provider: name, error: toPlainText(error) }, 'a sign-in provider refused')
    return toRefusal(provider, error, typeof error_description === 'string' ? error_description : undefined)
  }
  if (!(thrown instanceof Error) || (typeof code !== 'string' && thrown.name !== 'ClientError')) return thrown as Error
  const reason = innermost(thrown)
  log.warn({ provider: name, code, reason }, 'the answer of a sign-in provider is not valid')
  return refusedError(`${title} gave an answer that is not valid: ${reason}.`)
}

function findUnreachable(thrown: unknown): ProviderUnreachable | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (error instanceof ProviderUnreachable) return error
  }
  return null
}

/** The library wraps its errors; the innermost message is the specific one. */
function innermost(error: Error): string {
  const inner = error.cause instanceof Error ? error.cause : error
  return toPlainText(inner.message || error.message)
}
