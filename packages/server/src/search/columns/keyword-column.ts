import { ensureLength, moveElementsUp } from '../grow.ts'
import type { Move } from '../insertion.ts'
import { Dictionary } from './dictionary.ts'
import { Lists } from './lists.ts'

/** Codes from this number on are not word codes: minus this number, they are positions of lists. */
export const SEVERAL = 0x80000000

/** Texts by ordinal: any number for each. Duplicates are stored once. */
export class KeywordColumn {
  readonly dictionary = new Dictionary()
  /** By ordinal: the code of its word, 0 if it has none, or `SEVERAL` plus the position of its list of codes. */
  codes = new Uint32Array(0)
  lists = new Lists(new Uint32Array(0))

  get bytes(): number {
    return this.codes.byteLength + this.lists.bytes + this.dictionary.bytes
  }

  reserve(length: number): void {
    this.codes = ensureLength(this.codes, length)
  }

  /** Replaces the values of an ordinal. */
  set(ordinal: number, values: readonly string[]): void {
    this.#write(ordinal, this.#encode(values))
    if (this.lists.shouldCompact) this.#compact()
  }

  clear(ordinal: number): void {
    if (ordinal < this.codes.length) this.#write(ordinal, 0)
  }

  /** Sets many ordinals in one call, each to one value, a list or null. */
  fill(ordinals: ArrayLike<number>, values: readonly (string | readonly string[] | null)[]): void {
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i] as number
      const value = values[i] ?? null
      if (typeof value === 'string') this.#write(ordinal, this.dictionary.add(value))
      else this.set(ordinal, value ?? [])
    }
  }

  moveUp(move: Move): void {
    this.codes = moveElementsUp(this.codes, move, 0)
  }

  valuesAt(ordinal: number): string[] {
    const code = this.codes[ordinal] ?? 0
    if (code === 0) return []
    const codes = code < SEVERAL ? [code] : [...this.lists.at(code - SEVERAL)]
    return codes.map(code => this.dictionary.wordOf(code))
  }

  #write(ordinal: number, code: number): void {
    this.reserve(ordinal + 1)
    const before = this.codes[ordinal] as number
    if (before >= SEVERAL) this.lists.release(before - SEVERAL)
    this.codes[ordinal] = code
  }

  #encode(values: readonly string[]): number {
    if (values.length === 0) return 0
    if (values.length === 1) return this.dictionary.add(values[0] as string)
    const codes = [...new Set(values.map(value => this.dictionary.add(value)))]
    return codes.length === 1 ? (codes[0] as number) : SEVERAL + this.lists.add(codes)
  }

  #compact(): void {
    const lists = new Lists(new Uint32Array(0))
    for (let i = 0; i < this.codes.length; i++) {
      const code = this.codes[i] as number
      if (code >= SEVERAL) this.codes[i] = SEVERAL + lists.add(this.lists.at(code - SEVERAL))
    }
    this.lists = lists
  }
}
