import { ensureLength } from '../grow.ts'
import { type Insertion, toInsertion } from '../insertion.ts'

/**
 * Maps record numbers to ordinals. Ordinals are dense and in the order of the numbers, so a new record usually gets the next one.
 * A number that is seen late, because its transaction was committed after one with higher numbers, is inserted between the
 * others. This happens near the end, so few ordinals move.
 */
export class RecordNumbers {
  /** Record numbers by ordinal. */
  #numbers = new Float64Array(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#numbers.byteLength
  }

  at(ordinal: number): number {
    return this.#numbers[ordinal] as number
  }

  /** Returns the ordinal of a record number, or -1 if it is not known. */
  find(recordNo: number): number {
    const ordinal = this.#countBelow(recordNo, 0)
    return ordinal < this.#size && this.at(ordinal) === recordNo ? ordinal : -1
  }

  /** Returns the ordinals of record numbers, all of which must be known. Faster if the numbers ascend. */
  ordinalsOf(recordNos: ArrayLike<number>): Uint32Array {
    const ordinals = new Uint32Array(recordNos.length)
    let next = 0
    for (let i = 0; i < ordinals.length; i++) {
      const recordNo = recordNos[i] as number
      const ordinal = next < this.#size && this.at(next) === recordNo ? next : this.find(recordNo)
      if (ordinal < 0) throw new Error('The index does not know a record that it is given values of')
      ordinals[i] = ordinal
      next = ordinal + 1
    }
    return ordinals
  }

  /** Adds the numbers that are not known yet. Returns the ordinals that move to make room, or null if none move. */
  add(recordNos: ArrayLike<number>): Insertion | null {
    const unknown = this.#listUnknown(recordNos)
    const highest = this.#size === 0 ? Number.NEGATIVE_INFINITY : this.at(this.#size - 1)
    const late = unknown.filter(recordNo => recordNo < highest)
    const insertion = late.length === 0 ? null : this.#insert(late)
    this.#append(unknown.subarray(late.length))
    return insertion
  }

  /** Returns the unknown numbers, ascending and without duplicates. */
  #listUnknown(recordNos: ArrayLike<number>): Float64Array {
    const sorted = Float64Array.from(recordNos).sort()
    let known = 0
    return sorted.filter((recordNo, i) => {
      if (recordNo === sorted[i - 1]) return false
      known = this.#countBelow(recordNo, known)
      return known >= this.#size || this.at(known) !== recordNo
    })
  }

  #append(recordNos: Float64Array): void {
    this.#numbers = ensureLength(this.#numbers, this.#size + recordNos.length)
    this.#numbers.set(recordNos, this.#size)
    this.#size += recordNos.length
  }

  #insert(late: Float64Array): Insertion {
    const insertion = toInsertion(
      Array.from(late, recordNo => this.#countBelow(recordNo, 0)),
      this.#size,
    )
    const first = insertion.before[0] as number
    const moved = new Float64Array(this.#size - first + late.length)
    moved.set(this.#numbers.subarray(first, this.#size))
    moved.set(late, this.#size - first)
    this.#size = first
    this.#append(moved.sort())
    return insertion
  }

  /** Returns how many known numbers are below this one. `least` is a lower bound for the result. */
  #countBelow(recordNo: number, least: number): number {
    let low = least
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.at(middle) < recordNo) low = middle + 1
      else high = middle
    }
    return low
  }
}
