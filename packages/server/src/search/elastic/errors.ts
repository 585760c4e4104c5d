/** Failures of a search cluster. A command that meets one prints its message alone. */
import { OperatorError } from '../../lib/operator-error.ts'

/** The engine does not answer, or is overloaded: the same may work later. */
export class EngineUnavailable extends OperatorError {
  /** As the engine names it, if it answered. */
  readonly type: string | null

  constructor(message: string, type: string | null = null) {
    super(message)
    this.type = type
  }
}

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

/** An index that was made a moment ago, or that the engine reads after a start: it is known before its shards can be used. */
export const isStarting = (error: unknown): boolean => error instanceof EngineUnavailable && STARTING.has(error.type ?? '')

const STARTING = new Set(['no_shard_available_action_exception', 'illegal_index_shard_state_exception'])
