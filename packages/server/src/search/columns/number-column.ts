import { Bitmap } from '../bitmap.ts'
import { ensureLength, moveElementsUp } from '../grow.ts'
import type { Move } from '../insertion.ts'
import { Lists } from './lists.ts'

export interface Bounds {
  min: number
  max: number
}

/** Numbers by ordinal: any number for each. Values are finite, so NaN marks a missing value. */
export class NumberColumn {
  /** By ordinal: its number, NaN if it has none, or the position of its list. */
  values = new Float64Array(0)
  /** Ordinals that have a list. */
  readonly several = new Bitmap()
  lists = new Lists(new Float64Array(0))
  #bounds: Bounds | null = null

  get bytes(): number {
    return this.values.byteLength + this.several.bytes + this.lists.bytes
  }

  reserve(length: number): void {
    const { length: before } = this.values
    this.values = ensureLength(this.values, length)
    this.values.fill(Number.NaN, before)
  }

  /** Replaces the values of an ordinal. */
  set(ordinal: number, values: readonly number[]): void {
    this.#write(ordinal, values.length === 1 ? (values[0] as number) : Number.NaN)
    if (values.length > 1) this.#writeList(ordinal, values)
    if (this.lists.shouldCompact) this.#compact()
  }

  clear(ordinal: number): void {
    if (ordinal < this.values.length) this.#write(ordinal, Number.NaN)
  }

  /** Sets many ordinals in one call, each to one value, a list or null. */
  fill(ordinals: ArrayLike<number>, values: readonly (number | readonly number[] | null)[]): void {
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] as number
      const value = values[i] ?? null
      if (typeof value === 'number') this.#write(ordinal, value)
      else this.set(ordinal, value ?? [])
    }
  }

  moveUp(move: Move): void {
    this.values = moveElementsUp(this.values, move, Number.NaN)
    this.several.moveUp(move)
  }

  valuesAt(ordinal: number): number[] {
    if (this.several.has(ordinal)) return [...this.lists.at(this.values[ordinal] as number)]
    const value = this.values[ordinal] ?? Number.NaN
    return Number.isNaN(value) ? [] : [value]
  }

  /** Returns the smallest and the largest number, or null if there are none. Cached until the next change. */
  bounds(): Bounds | null {
    this.#bounds ??= this.#findBounds()
    return this.#bounds.min > this.#bounds.max ? null : this.#bounds
  }

  /** Writes a single value. Adding zero turns -0 into 0, because filters, sorts and counts treat them as equal. */
  #write(ordinal: number, value: number): void {
    if (ordinal >= this.values.length) this.reserve(ordinal + 1)
    if (this.several.has(ordinal)) {
      this.lists.release(this.values[ordinal] as number)
      this.several.clear(ordinal)
    }
    this.values[ordinal] = value + 0
    this.#bounds = null
  }

  #writeList(ordinal: number, values: readonly number[]): void {
    this.values[ordinal] = this.lists.add(values.map(value => value + 0))
    this.several.set(ordinal)
  }

  #findBounds(): Bounds {
    const { values, several } = this
    const { data } = this.lists
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    for (let i = 0; i < values.length; i++) {
      const isList = several.has(i)
      const numbers = isList ? data : values
      const first = isList ? (values[i] as number) + 1 : i
      const end = isList ? first + (data[first - 1] as number) : i + 1
      for (let j = first; j < end; j++) {
        const value = numbers[j] as number
        if (value < min) min = value
        if (value > max) max = value
      }
    }
    return { min, max }
  }

  #compact(): void {
    const lists = new Lists(new Float64Array(0))
    for (const ordinal of this.several.ordinals()) this.values[ordinal] = lists.add(this.lists.at(this.values[ordinal] as number))
    this.lists = lists
  }
}
