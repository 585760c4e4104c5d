import type { Id } from '@postil/domain/schema'
import { ensureLength, moveElementsUp } from '../grow.ts'
import type { Move } from '../insertion.ts'
import type { NumberedTexts } from './text-bound.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** All possible ids, numbered in the order of their texts. */
export const IDS: NumberedTexts = { last: (1n << 128n) - 1n, toText: toId }

/** Number of parts into which `partOf` splits an id. */
export const ID_PARTS = 3

/** Record ids by ordinal, 16 bytes each. */
export class IdColumn {
  /** Four words for each ordinal, the most significant first. */
  words = new Uint32Array(0)
  #highest = -1
  #isAscending = true

  get bytes(): number {
    return this.words.byteLength
  }

  /**
   * True while ids ascend with ordinals, as is the case if a single process created them. Ordinals can then be compared instead
   * of ids.
   */
  get isAscending(): boolean {
    return this.#isAscending
  }

  reserve(length: number): void {
    this.words = ensureLength(this.words, length * 4)
  }

  set(ordinal: number, id: Id): void {
    this.reserve(ordinal + 1)
    const isChanged = this.#write(ordinal, id)
    if (isChanged && this.#isAscending) this.#isAscending = this.#fits(ordinal)
    this.#highest = Math.max(this.#highest, ordinal)
  }

  /** Sets many ordinals in one call. */
  fill(ordinals: ArrayLike<number>, ids: readonly Id[]): void {
    for (let i = 0; i < ordinals.length; i++) this.set(ordinals[i] as number, ids[i] as Id)
  }

  /** Does nothing: the ordinal of a deleted record is never reused or read. */
  clear(_ordinal: number): void {}

  moveUp(move: Move): void {
    const { from, end, by } = move
    this.words = moveElementsUp(this.words, { from: from * 4, end: end * 4, by: by * 4 }, 0)
    if (this.#highest >= from && this.#highest < end) this.#highest += by
  }

  /** Returns one of three numbers that, compared in turn, give the order of the ids. A float represents each of them exactly. */
  part(ordinal: number, part: number): number {
    const at = ordinal * 4
    const { words } = this
    if (part === 0) return (words[at] as number) * 2 ** 20 + ((words[at + 1] as number) >>> 12)
    if (part === 2) return (words[at + 3] as number) & 0xffffff
    const middle = ((words[at + 1] as number) & 0xfff) * 2 ** 40 + (words[at + 2] as number) * 2 ** 8
    return middle + ((words[at + 3] as number) >>> 24)
  }

  #write(ordinal: number, id: Id): boolean {
    if (!UUID.test(id)) throw new Error('A record id must be a UUID in lower case')
    let isChanged = false
    for (let i = 0; i < 4; i++) {
      const word = WORD_STARTS[i] as readonly [number, number]
      const value = (hex(id, word[0]) * 2 ** 16 + hex(id, word[1])) >>> 0
      isChanged ||= this.words[ordinal * 4 + i] !== value
      this.words[ordinal * 4 + i] = value
    }
    return isChanged
  }

  /** True if the id lies between those of its neighbours. Ordinals without an id are skipped. */
  #fits(ordinal: number): boolean {
    let before = ordinal - 1
    while (before >= 0 && this.#isUnset(before)) before--
    let after = ordinal + 1
    while (after <= this.#highest && this.#isUnset(after)) after++
    return (before < 0 || this.#isBefore(before, ordinal)) && (after > this.#highest || this.#isBefore(ordinal, after))
  }

  #isUnset(ordinal: number): boolean {
    for (let i = 0; i < 4; i++) if (this.words[ordinal * 4 + i] !== 0) return false
    return true
  }

  #isBefore(left: number, right: number): boolean {
    for (let i = 0; i < 4; i++) {
      const difference = (this.words[left * 4 + i] as number) - (this.words[right * 4 + i] as number)
      if (difference !== 0) return difference < 0
    }
    return false
  }
}

/** Offsets in an id's text at which the two halves of each word begin. */
const WORD_STARTS: readonly (readonly [number, number])[] = [
  [0, 4],
  [9, 14],
  [19, 24],
  [28, 32],
]

/** Parses four hexadecimal digits. The character code of `a` is 39 greater than it would be directly after `9`. */
function hex(text: string, from: number): number {
  let number = 0
  for (let i = from; i < from + 4; i++) {
    const code = text.charCodeAt(i)
    number = number * 16 + (code < 97 ? code - 48 : code - 87)
  }
  return number
}

/** Returns the number of an id, or null if the text is not an id. */
export function findIdNumber(text: string): bigint | null {
  return UUID.test(text) ? BigInt(`0x${text.replaceAll('-', '')}`) : null
}

function toId(number: bigint): Id {
  const digits = number.toString(16).padStart(32, '0')
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-')
}

/** Same as `IdColumn.part`, for a number. */
export function partOf(number: bigint, part: number): number {
  const shifts = [76n, 24n, 0n]
  const bits = part === 2 ? 24n : 52n
  return Number((number >> (shifts[part] as bigint)) & ((1n << bits) - 1n))
}
