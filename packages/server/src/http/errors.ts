/**
 * Any error -> status and body. The only file that knows the shapes existing clients expect; the codes keep the spelling
 * they know.
 */
import { DomainError, ERROR_CODES, RetryLater, ShapeError } from '@postil/domain/errors'
import type { Logger } from 'pino'
import { jsonReply, type Reply } from './call.ts'

const CODE_PREFIX = 'argilla.api.errors::'

const coded = (name: string, params: object) => ({ detail: { code: CODE_PREFIX + name, params } })

function bodyOf(error: DomainError): object {
  switch (error.code) {
    case 'unauthenticated':
      return coded('UnauthorizedError', { detail: error.message })
    case 'forbidden':
      return coded('ForbiddenOperationError', { detail: error.message })
    case 'missing_vector':
      return { code: error.code, message: error.message }
    case 'conflict':
      // Its status alone does not tell it from `not_unique`.
      return { detail: error.explanation, code: error.code }
    default:
      return { detail: error.explanation }
  }
}

export function toErrorReply(error: unknown, log: Logger, requestId: string): Reply {
  if (error instanceof DomainError) {
    const reply = jsonReply(ERROR_CODES[error.code], bodyOf(error))
    return error instanceof RetryLater ? { ...reply, headers: { 'retry-after': String(error.retryAfterSeconds) } } : reply
  }
  if (error instanceof ShapeError) return jsonReply(422, coded('ValidationError', { errors: error.problems }))
  log.error({ request_id: requestId, err: error }, 'request failed')
  const params = {
    type: 'InternalServerError',
    message: `The server failed to answer. Its log tells more under request ${requestId}.`,
  }
  return { ...jsonReply(500, coded('GenericServerError', params)), close: true }
}

export const NOT_FOUND = { detail: 'Not Found' }
export const TWO_HOSTS = { detail: 'The request has more than one Host header' }
export const METHOD_NOT_ALLOWED = { detail: 'Method Not Allowed' }
