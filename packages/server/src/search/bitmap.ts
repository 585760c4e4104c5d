import { ensureLength } from './grow.ts'
import type { Move } from './insertion.ts'

/** A growable set of ordinals, one bit each. Operations change the bitmap they are called on; `clone` first to keep it. */
export class Bitmap {
  words: Uint32Array

  constructor(length = 0) {
    this.words = new Uint32Array(Math.ceil(length / 32))
  }

  get bytes(): number {
    return this.words.byteLength
  }

  reserve(length: number): void {
    this.words = ensureLength(this.words, Math.ceil(length / 32))
  }

  has(ordinal: number): boolean {
    return (((this.words[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1
  }

  set(ordinal: number): void {
    if (ordinal >>> 5 >= this.words.length) this.reserve(ordinal + 1)
    this.words[ordinal >>> 5] = (this.words[ordinal >>> 5] as number) | (1 << (ordinal & 31))
  }

  clear(ordinal: number): void {
    if (ordinal >>> 5 < this.words.length)
      this.words[ordinal >>> 5] = (this.words[ordinal >>> 5] as number) & ~(1 << (ordinal & 31))
  }

  fill(ordinals: ArrayLike<number>): void {
    for (let i = 0; i < ordinals.length; i++) this.set(ordinals[i] as number)
  }

  /** Moves bits up and clears the positions that they leave. */
  moveUp({ from, end, by }: Move): void {
    for (let ordinal = Math.min(end, this.words.length * 32) - 1; ordinal >= from; ordinal--) {
      if (this.has(ordinal)) this.set(ordinal + by)
      else this.clear(ordinal + by)
    }
    for (let ordinal = from; ordinal < from + by; ordinal++) this.clear(ordinal)
  }

  clone(): Bitmap {
    const copy = new Bitmap()
    copy.words = this.words.slice()
    return copy
  }

  and({ words: others }: Bitmap): this {
    const { words } = this
    const shared = Math.min(words.length, others.length)
    for (let i = 0; i < shared; i++) words[i] = (words[i] as number) & (others[i] as number)
    words.fill(0, shared)
    return this
  }

  or({ words: others }: Bitmap): this {
    this.words = ensureLength(this.words, others.length)
    const { words } = this
    for (let i = 0; i < others.length; i++) words[i] = (words[i] as number) | (others[i] as number)
    return this
  }

  andNot({ words: others }: Bitmap): this {
    const { words } = this
    const shared = Math.min(words.length, others.length)
    for (let i = 0; i < shared; i++) words[i] = (words[i] as number) & ~(others[i] as number)
    return this
  }

  count(): number {
    const { words } = this
    let count = 0
    // Skips zero words: most words of most results are 0.
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) count += countBits(words[i] as number)
    return count
  }

  isEmpty(): boolean {
    const { words } = this
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false
    return true
  }

  /** Returns all ordinals of the set in ascending order. `count` is the size of the set, if the caller has it. */
  ordinals(count = this.count()): Uint32Array {
    return this.page(0, count, count)
  }

  /**
   * Returns the ordinals at positions `offset` to `offset + limit` of the set. Words before the page are counted as a whole, not
   * bit by bit.
   */
  page(offset: number, limit: number, count = this.count()): Uint32Array {
    const { words } = this
    const found = new Uint32Array(Math.max(0, Math.min(limit, count - offset)))
    let skipped = 0
    let size = 0
    for (let i = 0; i < words.length && size < found.length; i++) {
      // Converts to a signed 32-bit integer, on which bit operations are faster.
      let word = (words[i] as number) | 0
      if (skipped < offset) {
        const bits = countBits(word)
        const isBefore = skipped + bits <= offset
        for (; !isBefore && skipped < offset; skipped++) word &= word - 1
        if (isBefore) {
          skipped += bits
          continue
        }
      }
      if (word === -1 && size + 32 <= found.length) {
        for (let bit = 0; bit < 32; bit++) found[size++] = i * 32 + bit
        continue
      }
      for (; word !== 0 && size < found.length; word &= word - 1) found[size++] = i * 32 + 31 - Math.clz32(word & -word)
    }
    return found
  }
}

/** Population count of 32 bits: adds up pairs, then groups of four, then bytes; the multiplication sums the bytes. */
export function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
