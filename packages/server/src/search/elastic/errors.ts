/** Failures of a search cluster. A command that meets one prints its message alone. */
import { OperatorError } from '../../lib/operator-error.ts'

/** The engine does not answer, or is overloaded: the same may work later. */
export class EngineUnavailable extends OperatorError {}

/** An index cannot be written at the moment, such as with a disk that is nearly full. */
export class WritesRefused extends EngineUnavailable {}

/** How engines name that. */
export const BLOCKED = 'cluster_block_exception'

/** The engine refuses a request. */
export class EngineError extends OperatorError {
  override readonly name = 'EngineError'
  readonly status: number
  /** As the engine names it, such as `index_not_found_exception`. */
  readonly type: string

  constructor(status: number, type: string, reason: string) {
    super(`${type}: ${reason}`)
    this.status = status
    this.type = type
  }
}

/** Another process has taken the lease over: what it does now must not be disturbed. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** The index that the state names does not exist: somebody deleted it. */
export class IndexLost extends Error {
  override readonly name = 'IndexLost'
}

export const isStatus = (error: unknown, status: number): boolean => error instanceof EngineError && error.status === status

export const isMissingIndex = (error: unknown): boolean =>
  error instanceof EngineError && error.type === 'index_not_found_exception'
