/** Sort keys for answers, of one user or of all responses to a record. */
import type { NumberColumn } from './number-column.ts'
import type { Responses } from './responses.ts'
import type { Sign, SortKey, ValueKey } from './sort-key.ts'
import type { UserRows } from './user-rows.ts'

const MISSING = Number.POSITIVE_INFINITY

/** The smallest key among the slots of a record. */
export class ResponseKey implements SortKey {
  readonly #rows: UserRows
  readonly #userCode: number
  readonly #slotKey: Pick<ValueKey, 'at'>

  constructor(rows: UserRows, userCode: number, slotKey: Pick<ValueKey, 'at'>) {
    this.#rows = rows
    this.#userCode = userCode
    this.#slotKey = slotKey
  }

  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    const rows = this.#rows
    for (let i = 0; i < size; i++) {
      let lowest = MISSING
      let slot = rows.firstSlot(ordinals[i] as number, this.#userCode)
      for (; slot >= 0; slot = rows.nextSlot(slot, this.#userCode)) lowest = Math.min(lowest, this.#slotKey.at(slot))
      keys[i] = lowest
    }
  }
}

/** Key by the status of a slot's response. */
export class StatusKey {
  readonly #statuses: Uint8Array
  readonly #sign: Sign

  constructor({ statuses }: Responses, sign: Sign) {
    this.#statuses = statuses.values
    this.#sign = sign
  }

  at(slot: number): number {
    return this.#sign * (this.#statuses[slot] as number)
  }
}

/** Key by the average of all numbers in the slots of a record. */
export class AverageKey implements SortKey {
  readonly #rows: UserRows
  readonly #userCode: number
  readonly #column: NumberColumn
  readonly #sign: Sign

  constructor(rows: UserRows, userCode: number, column: NumberColumn, sign: Sign) {
    this.#rows = rows
    this.#userCode = userCode
    this.#column = column
    this.#sign = sign
  }

  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    for (let i = 0; i < size; i++) keys[i] = this.#averageOf(ordinals[i] as number)
  }

  #averageOf(ordinal: number): number {
    let sum = 0
    let count = 0
    let slot = this.#rows.firstSlot(ordinal, this.#userCode)
    for (; slot >= 0; slot = this.#rows.nextSlot(slot, this.#userCode)) {
      const values = this.#column.valuesAt(slot)
      for (const value of values) sum += value
      count += values.length
    }
    return count === 0 ? MISSING : (this.#sign * sum) / count
  }
}
