/**
 * Converts any error into status and body. The only file that defines the error shapes that existing clients expect; error codes
 * keep their original spelling.
 */
import { DomainError, ERROR_CODES, FullReadNeeded, RetryLater, ShapeError } from '@postil/domain/errors'
import { LegacyError } from '@postil/domain/legacy/errors'
import type { Logger } from 'pino'
import { findStorageFailure, type StorageFailure } from '../storage/storage-failure.ts'
import { jsonReply, type Reply } from './call.ts'

const CODE_PREFIX = 'argilla.api.errors::'

const coded = (name: string, params: object) => ({ detail: { code: CODE_PREFIX + name, params } })

function bodyOf(error: DomainError): object {
  switch (error.code) {
    case 'unauthenticated':
      return coded('UnauthorizedError', { detail: error.message })
    case 'deactivated':
      return { ...coded('UnauthorizedError', { detail: error.message }), code: error.code }
    case 'forbidden':
      return coded('ForbiddenOperationError', { detail: error.message })
    case 'missing_vector':
      return { code: error.code, message: error.message }
    case 'changes_pruned':
    case 'changes_restored':
      return {
        detail: error.message,
        code: error.code,
        ...(error instanceof FullReadNeeded && { first: error.first, head: error.head }),
      }
    case 'conflict':
    case 'wrong_user':
    case 'provider_refused':
      // The status alone does not distinguish these from `not_unique` or `unauthenticated`.
      return { detail: error.explanation, code: error.code }
    default:
      return { detail: error.explanation }
  }
}

export function toErrorReply(error: unknown, log: Logger, requestId: string): Reply {
  if (error instanceof DomainError) {
    const reply = { ...jsonReply(ERROR_CODES[error.code], bodyOf(error)), code: error.code }
    return error instanceof RetryLater ? { ...reply, headers: { 'retry-after': String(error.retryAfterSeconds) } } : reply
  }
  if (error instanceof ShapeError) {
    return { ...jsonReply(422, coded('ValidationError', { errors: error.problems })), code: 'invalid_shape' }
  }
  if (error instanceof LegacyError) return { ...jsonReply(error.status, coded(error.code, error.params)), code: error.code }
  const failure = findStorageFailure(error)
  if (failure) {
    logStorageFailure(log, failure, error)
    const reply = jsonReply(ERROR_CODES[failure.code], { detail: failure.forCallers })
    return { ...reply, code: failure.code, headers: { 'retry-after': String(failure.retryAfterSeconds) } }
  }
  log.error({ request_id: requestId, err: error }, 'request failed')
  const params = {
    type: 'InternalServerError',
    message: `The server failed to answer. Its log tells more under request ${requestId}.`,
  }
  return { ...jsonReply(500, coded('GenericServerError', params)), code: 'internal', close: true }
}

/** Limits the log to one line per minute and kind of failure, because a full disk fails every write. */
const LOG_PAUSE_MS = 60_000

/** By thread and kind: time of the last logged failure, and the number of failures not logged since. */
const logged = new WeakMap<Logger, Map<string, { at: number; left: number }>>()

function logStorageFailure(log: Logger, failure: StorageFailure, error: unknown): void {
  const byKind = logged.get(log) ?? new Map<string, { at: number; left: number }>()
  logged.set(log, byKind)
  const last = byKind.get(failure.kind)
  const now = performance.now()
  if (last && now - last.at < LOG_PAUSE_MS) {
    last.left++
    return
  }
  byKind.set(failure.kind, { at: now, left: 0 })
  const { code, message, path } = error as NodeJS.ErrnoException
  const place = path ?? 'The database'
  log.error({ storage: failure.kind, code, error: message, not_logged: last?.left ?? 0 }, failure.forOperators(place))
}

export const NOT_FOUND = { detail: 'Not Found' }
export const TWO_HOSTS = { detail: 'The request has more than one Host header' }
export const METHOD_NOT_ALLOWED = { detail: 'Method Not Allowed' }
