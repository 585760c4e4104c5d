/** Errors of a search cluster. Commands print only their message. */
import { OperatorError } from '../../lib/operator-error.ts'

/** The engine does not answer or is overloaded. A retry may succeed. */
export class EngineUnavailable extends OperatorError {
  /** The error type that the engine returned, if it answered. */
  readonly type: string | null

  constructor(message: string, type: string | null = null) {
    super(message)
    this.type = type
  }
}

/** The index temporarily rejects writes, for example because the disk is nearly full. */
export class WritesRefused extends EngineUnavailable {}

/** The engines' error type for rejected writes. */
export const BLOCKED = 'cluster_block_exception'

/** The engine rejects a request. */
export class EngineError extends OperatorError {
  override readonly name = 'EngineError'
  readonly status: number
  /** The error type that the engine returned, for example `index_not_found_exception`. */
  readonly type: string

  constructor(status: number, type: string, reason: string) {
    super(`${type}: ${reason}`)
    this.status = status
    this.type = type
  }
}

/** Another process has taken over the lease. This process must stop working on the index. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** The index that the state refers to does not exist, because it was deleted. */
export class IndexLost extends Error {
  override readonly name = 'IndexLost'
}

export const isStatus = (error: unknown, status: number): boolean => error instanceof EngineError && error.status === status

export const isMissingIndex = (error: unknown): boolean =>
  error instanceof EngineError && error.type === 'index_not_found_exception'

/** True if the index exists but its shards are not ready yet, because it was just created or the engine has restarted. */
export const isStarting = (error: unknown): boolean => error instanceof EngineUnavailable && STARTING.has(error.type ?? '')

const STARTING = new Set(['no_shard_available_action_exception', 'illegal_index_shard_state_exception'])
