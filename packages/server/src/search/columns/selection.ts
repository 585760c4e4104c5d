import { grown } from './grow.ts'

/** Room beyond the rows that are wanted, so that dropping the others is rare. */
const ROOM_MIN = 512
/** Ranges up to this length are sorted by insertion. */
const SMALL = 12

/**
 * Finds the first rows of an order without sorting the others. A row is a few keys, compared one after another, and an ordinal, which is
 * compared last. Rows are collected until there are many more than wanted; then those that cannot be among the first are dropped, and
 * later rows behind the last wanted one are not collected. The cost is linear in the number of rows, in whatever order they come.
 */
export class Selection {
  readonly #wanted: number
  readonly #width: number
  readonly #sizeMax: number
  #rows = new Float64Array(0)
  #size = 0
  /** The last wanted row when rows were dropped; later ones must come before it. */
  #last: Float64Array | null = null
  readonly #pivot: Float64Array
  #random = 1

  /** At least one row must be wanted. */
  constructor(keys: number, wanted: number) {
    this.#wanted = wanted
    this.#width = keys + 1
    this.#sizeMax = wanted + Math.max(wanted, ROOM_MIN)
    this.#pivot = new Float64Array(this.#width)
  }

  /** Moves ordinals that may be wanted, by their first key, to the front of the block, and returns how many they are. */
  keepCandidates(ordinals: Uint32Array, firstKeys: Float64Array, size: number): number {
    if (this.#last === null) return size
    const last = this.#last[0] as number
    let kept = 0
    for (let i = 0; i < size; i++) {
      if ((firstKeys[i] as number) > last) continue
      firstKeys[kept] = firstKeys[i] as number
      ordinals[kept++] = ordinals[i] as number
    }
    return kept
  }

  /** Adds a block of rows, given by their ordinals and, for each key, an array. */
  add(ordinals: Uint32Array, keys: readonly Float64Array[], size: number): void {
    const width = this.#width
    this.#rows = grown(this.#rows, Math.min(this.#size + size, this.#sizeMax) * width)
    for (let i = 0; i < size; i++) {
      if (this.#size === this.#sizeMax) this.#dropUnwanted()
      if (this.#last !== null && !isBefore(ordinals, keys, i, this.#last)) continue
      const at = this.#size * width
      for (let k = 0; k < width - 1; k++) this.#rows[at + k] = (keys[k] as Float64Array)[i] as number
      this.#rows[at + width - 1] = ordinals[i] as number
      this.#size++
    }
  }

  /** Ordinals of the rows `from` to `to` in their order. `to` is at most the number of rows wanted. */
  page(from: number, to: number): Uint32Array {
    const end = Math.min(to, this.#size)
    const start = Math.min(from, end)
    this.#order(0, this.#size, start, end)
    const width = this.#width
    return Uint32Array.from({ length: end - start }, (_, i) => this.#rows[(start + i + 1) * width - 1] as number)
  }

  #dropUnwanted(): void {
    const last = this.#wanted - 1
    this.#order(0, this.#size, last, this.#wanted)
    this.#size = this.#wanted
    this.#last = this.#rows.slice(last * this.#width, this.#wanted * this.#width)
  }

  /** Quicksort of the rows `low` to `high`, as far as needed to have the rows `from` to `to` in place. */
  #order(low: number, high: number, from: number, to: number): void {
    if (low >= to || high <= from) return
    if (high - low <= SMALL) {
      this.#insertionSort(low, high)
      return
    }
    const split = this.#partition(low, high)
    this.#order(low, split, from, to)
    this.#order(split, high, from, to)
  }

  #insertionSort(low: number, high: number): void {
    for (let i = low + 1; i < high; i++) {
      this.#copyToPivot(i)
      let j = i
      for (; j > low && this.#compare(j - 1, this.#pivot) > 0; j--) {
        this.#rows.copyWithin(j * this.#width, (j - 1) * this.#width, j * this.#width)
      }
      this.#rows.set(this.#pivot, j * this.#width)
    }
  }

  /** Hoare's partition around a row of three taken at random: no order of the data makes it slow. */
  #partition(low: number, high: number): number {
    this.#swap(low, this.#medianOf(this.#pick(low, high), this.#pick(low, high), this.#pick(low, high)))
    this.#copyToPivot(low)
    let i = low - 1
    let j = high
    while (true) {
      do i++
      while (this.#compare(i, this.#pivot) < 0)
      do j--
      while (this.#compare(j, this.#pivot) > 0)
      if (i >= j) return j + 1
      this.#swap(i, j)
    }
  }

  #medianOf(a: number, b: number, c: number): number {
    this.#copyToPivot(a)
    const isAfterB = this.#compare(b, this.#pivot) < 0
    const isAfterC = this.#compare(c, this.#pivot) < 0
    if (isAfterB !== isAfterC) return a
    this.#copyToPivot(b)
    return this.#compare(c, this.#pivot) < 0 === isAfterB ? c : b
  }

  /** A linear congruential generator is random enough to pick a pivot, and gives the same steps for the same data. */
  #pick(low: number, high: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    return low + Math.floor((this.#random / 2 ** 32) * (high - low))
  }

  #compare(row: number, other: Float64Array): number {
    const at = row * this.#width
    for (let k = 0; k < this.#width; k++) {
      const left = this.#rows[at + k] as number
      const right = other[k] as number
      if (left !== right) return left < right ? -1 : 1
    }
    return 0
  }

  #copyToPivot(row: number): void {
    for (let k = 0; k < this.#width; k++) this.#pivot[k] = this.#rows[row * this.#width + k] as number
  }

  #swap(left: number, right: number): void {
    const rows = this.#rows
    for (let k = 0; k < this.#width; k++) {
      const value = rows[left * this.#width + k] as number
      rows[left * this.#width + k] = rows[right * this.#width + k] as number
      rows[right * this.#width + k] = value
    }
  }
}

/** Whether a row of a block comes before another row. */
function isBefore(ordinals: Uint32Array, keys: readonly Float64Array[], i: number, row: Float64Array): boolean {
  for (let k = 0; k < keys.length; k++) {
    const key = (keys[k] as Float64Array)[i] as number
    if (key !== row[k]) return key < (row[k] as number)
  }
  return (ordinals[i] as number) < (row[keys.length] as number)
}
