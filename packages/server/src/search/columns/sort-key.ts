/**
 * Sort keys as numbers. The smaller key comes first in both directions, and a missing value is Infinity. The smallest key of
 * several values counts: that of the smallest value if ascending, and of the largest if descending.
 */
import type { IdColumn } from './id-column.ts'
import { type KeywordColumn, SEVERAL } from './keyword-column.ts'
import type { NumberColumn } from './number-column.ts'

export interface SortKey {
  /** Writes the keys of a block of ordinals. */
  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void
}

/** A key that can also be read for one ordinal or slot. */
export interface ValueKey extends SortKey {
  at(ordinal: number): number
}

/** 1 for ascending, -1 for descending. */
export type Sign = 1 | -1

const MISSING = Number.POSITIVE_INFINITY

export class KeywordKey implements ValueKey {
  readonly #codes: Uint32Array
  readonly #lists: Uint32Array
  readonly #isSingle: boolean
  /** Keys by code. Code 0 has the key of a missing value. */
  readonly #keys: Float64Array

  constructor({ codes, lists, dictionary }: KeywordColumn, sign: Sign) {
    this.#codes = codes
    this.#lists = lists.data
    this.#isSingle = lists.isEmpty
    const ranks = dictionary.ranks()
    this.#keys = new Float64Array(ranks.length)
    for (let code = 1; code < ranks.length; code++) this.#keys[code] = sign * (ranks[code] as number)
    this.#keys[0] = MISSING
  }

  at(ordinal: number): number {
    // A column is shorter than the dataset if the last records have no value.
    const code = this.#codes[ordinal] ?? 0
    return code < SEVERAL ? (this.#keys[code] as number) : this.#ofList(code - SEVERAL)
  }

  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    if (this.#isSingle) this.#fillSingle(ordinals, size, keys)
    else for (let i = 0; i < size; i++) keys[i] = this.at(ordinals[i] as number)
  }

  #fillSingle(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    const codes = this.#codes
    const keyOf = this.#keys
    for (let i = 0; i < size; i++) keys[i] = keyOf[codes[ordinals[i] as number] ?? 0] as number
  }

  #ofList(position: number): number {
    const end = position + (this.#lists[position] as number)
    let lowest = MISSING
    for (let i = position + 1; i <= end; i++) lowest = Math.min(lowest, this.#keys[this.#lists[i] as number] as number)
    return lowest
  }
}

export class NumberKey implements ValueKey {
  readonly #column: NumberColumn
  readonly #values: Float64Array
  readonly #hasLists: boolean
  readonly #sign: Sign

  constructor(column: NumberColumn, sign: Sign) {
    this.#column = column
    this.#values = column.values
    this.#hasLists = !column.lists.isEmpty
    this.#sign = sign
  }

  at(ordinal: number): number {
    const value = this.#values[ordinal] ?? Number.NaN
    if (Number.isNaN(value)) return MISSING
    return this.#hasLists && this.#column.several.has(ordinal) ? this.#ofList(value) : this.#sign * value
  }

  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    if (this.#hasLists) for (let i = 0; i < size; i++) keys[i] = this.at(ordinals[i] as number)
    else this.#fillSingle(ordinals, size, keys)
  }

  #fillSingle(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    const values = this.#values
    const sign = this.#sign
    for (let i = 0; i < size; i++) {
      const value = values[ordinals[i] as number] ?? Number.NaN
      keys[i] = Number.isNaN(value) ? MISSING : sign * value
    }
  }

  #ofList(position: number): number {
    const { data } = this.#column.lists
    const end = position + (data[position] as number)
    let lowest = MISSING
    for (let i = position + 1; i <= end; i++) lowest = Math.min(lowest, this.#sign * (data[i] as number))
    return lowest
  }
}

/** Key by one part of the record id. */
export class IdKey implements SortKey {
  readonly #ids: IdColumn
  readonly #part: number
  readonly #sign: Sign

  constructor(ids: IdColumn, part: number, sign: Sign) {
    this.#ids = ids
    this.#part = part
    this.#sign = sign
  }

  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    for (let i = 0; i < size; i++) keys[i] = this.#sign * this.#ids.part(ordinals[i] as number, this.#part)
  }
}

/** Key by ordinal, used if ids ascend with ordinals. */
export class OrdinalKey implements SortKey {
  readonly #sign: Sign

  constructor(sign: Sign) {
    this.#sign = sign
  }

  fill(ordinals: Uint32Array, size: number, keys: Float64Array): void {
    for (let i = 0; i < size; i++) keys[i] = this.#sign * (ordinals[i] as number)
  }
}
