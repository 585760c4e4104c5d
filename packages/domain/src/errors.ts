/**
 * Every expected failure is a DomainError: a code from this table, a message for people, and the path to the invalid value.
 *
 * The server's `http/errors.ts` turns them into responses. Any other exception is a bug.
 */
import type { Id } from './schema.ts'

export const ERROR_CODES = {
  unauthenticated: 401,
  deactivated: 401,
  provider_refused: 401,
  forbidden: 403,
  not_found: 404,
  not_unique: 409,
  conflict: 409,
  wrong_user: 409,
  changes_pruned: 410,
  changes_restored: 410,
  too_large: 413,
  path_too_long: 414,
  unprocessable: 422,
  missing_vector: 422,
  too_many_attempts: 429,
  unavailable: 503,
  storage_full: 507,
} as const

export type ErrorCode = keyof typeof ERROR_CODES

export type Path = readonly (string | number)[]

export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  /** Path of the invalid value in the request body, e.g. `['items', 3, 'suggestions', 0, 'value']`. */
  readonly at: Path

  constructor(code: ErrorCode, message: string, at: Path = []) {
    super(message)
    this.code = code
    this.at = at
  }

  /** The message with the path in front, for people, because the API has no separate property for the path. */
  get explanation(): string {
    return this.at.length === 0 ? this.message : `at ${this.at.join('.')}: ${this.message}`
  }

  /** Returns the same failure with a path that starts at the containing collection. */
  under(...steps: Path): DomainError {
    return new DomainError(this.code, this.message, [...steps, ...this.at])
  }
}

/** A temporary refusal: the same request can be retried after a pause. */
export class RetryLater extends DomainError {
  readonly retryAfterSeconds: number

  constructor(code: ErrorCode, message: string, retryAfterSeconds: number) {
    super(code, message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export class TooManyAttempts extends RetryLater {
  constructor(retryAfterSeconds: number, reason = 'Too many attempts.') {
    super('too_many_attempts', `${reason} Try again in ${retryAfterSeconds} seconds.`, retryAfterSeconds)
  }
}

/**
 * A reader of the change feed cannot continue from its position. It must read the whole dataset again and then continue after
 * `head`.
 */
export class FullReadNeeded extends DomainError {
  /** Number of the oldest stored entry; null without entries. */
  readonly first: number | null
  readonly head: number

  constructor(code: 'changes_pruned' | 'changes_restored', message: string, log: { first: number | null; head: number }) {
    super(code, message)
    this.first = log.first
    this.head = log.head
  }
}

/**
 * One problem with the shape of a request. `type` is one of the codes that existing clients use (`missing`, `string_type`, …).
 */
export interface ShapeProblem {
  type: string
  loc: (string | number)[]
  msg: string
}

/** The shape of a request is invalid. Lists every problem, in the order path, query, body. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'
  readonly problems: ShapeProblem[]

  constructor(problems: ShapeProblem[]) {
    super(`${problems.length} problem(s) with the shape of the request`)
    this.problems = problems
  }
}

export const notFound = (noun: string, id: Id) => new DomainError('not_found', `${noun} with id \`${id}\` not found`)
export const notUnique = (message: string, at: Path = []) => new DomainError('not_unique', message, at)
/** The state that the caller relies on has changed. */
export const conflict = (message: string, at: Path = []) => new DomainError('conflict', message, at)
export const invalid = (message: string, at: Path = []) => new DomainError('unprocessable', message, at)
/** `where` is the header or parameter that names the user. */
export const wrongUser = (where: string) =>
  new DomainError(
    'wrong_user',
    `${where} names another user than the credentials do. ` +
      'Send the id that `GET /api/v1/me` answers for these credentials, or leave it out.',
  )
export const forbidden = (message = 'Operation not allowed') => new DomainError('forbidden', message)

/** Throws `forbidden` unless the action is allowed. */
export function allow(allowed: boolean): void {
  if (!allowed) throw forbidden()
}

/** Runs `check` for one entry of a list and adds the entry's path to its error. */
export function checkAt<T>(path: Path, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof DomainError ? error.under(...path) : error
  }
}
