import { ensureLength } from '../grow.ts'

/** Lists are not compacted below this many unused elements. */
const UNUSED_MIN = 4096

/**
 * Stores lists of values one after another in one array: the length, then the values. A list is identified by its position.
 * Released lists leave gaps until the owner copies the remaining lists into a new object.
 */
export class Lists<A extends Uint32Array | Float64Array> {
  data: A
  #end = 0
  #unused = 0

  constructor(empty: A) {
    this.data = empty
  }

  get bytes(): number {
    return this.data.byteLength
  }

  get isEmpty(): boolean {
    return this.#end === this.#unused
  }

  get shouldCompact(): boolean {
    return this.#unused > Math.max(UNUSED_MIN, this.#end / 2)
  }

  /** Adds a list and returns its position. */
  add(values: ArrayLike<number>): number {
    const position = this.#end
    this.#end += values.length + 1
    this.data = ensureLength(this.data, this.#end)
    this.data[position] = values.length
    this.data.set(values, position + 1)
    return position
  }

  release(position: number): void {
    this.#unused += (this.data[position] as number) + 1
  }

  at(position: number): A {
    return this.data.subarray(position + 1, position + 1 + (this.data[position] as number)) as A
  }
}
