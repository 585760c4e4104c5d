import { compareText } from '@postil/domain/search/compare-text'

/** Heap bytes of a word in addition to its characters: string header, array slot and map entry. Measured with a million words. */
const WORD_OVERHEAD_BYTES = 72
/** Above this share of new words, sorting everything again is faster than inserting them one by one. */
const INSERTED_SHARE = 0.001
/** UTF-16 code units that do not sort in code point order. */
const UNORDERED_UNITS = /[\ud800-\uffff]/

/**
 * The distinct words of a keyword column. Codes are assigned from 1 in the order of insertion; 0 stands for a missing value. The
 * sort order by code point is computed when a range or a sort first needs it, and again after words were added.
 */
export class Dictionary {
  readonly #codes = new Map<string, number>()
  /** Indexed by code. Code 0 has no word. */
  readonly #words: string[] = ['']
  #sorted = new Uint32Array(0)
  #ranks = new Uint32Array(1)
  #characters = 0
  /** False once there is a word whose UTF-16 order may differ from its code point order. */
  #isPlain = true

  get size(): number {
    return this.#words.length - 1
  }

  get bytes(): number {
    const width = this.#isPlain ? 1 : 2
    const order = this.#sorted.byteLength + this.#ranks.byteLength
    return this.#characters * width + this.size * WORD_OVERHEAD_BYTES + order
  }

  /** Returns the code of a word. Adds the word if it is new. */
  add(word: string): number {
    const known = this.#codes.get(word)
    if (known !== undefined) return known
    const code = this.#words.length
    this.#codes.set(word, code)
    this.#words.push(word)
    this.#characters += word.length
    if (this.#isPlain && UNORDERED_UNITS.test(word)) this.#isPlain = false
    return code
  }

  /** Returns the code of a word, or 0 if it is not in the dictionary. */
  find(word: string): number {
    return this.#codes.get(word) ?? 0
  }

  wordOf(code: number): string {
    return this.#words[code] as string
  }

  /** Codes in the sort order of their words. */
  sorted(): Uint32Array {
    this.#renewOrder()
    return this.#sorted
  }

  /** The rank of each code's word in the sort order. */
  ranks(): Uint32Array {
    this.#renewOrder()
    return this.#ranks
  }

  /** Returns how many words sort before this text, or up to and including it if `inclusive`. */
  countBefore(text: string, inclusive: boolean): number {
    return this.#search(this.sorted(), this.size, text, inclusive)
  }

  #search(sorted: Uint32Array, length: number, text: string, inclusive: boolean): number {
    let low = 0
    let high = length
    while (low < high) {
      const middle = (low + high) >>> 1
      const difference = compareText(this.wordOf(sorted[middle] as number), text)
      if (difference < 0 || (inclusive && difference === 0)) low = middle + 1
      else high = middle
    }
    return low
  }

  #renewOrder(): void {
    const known = this.#sorted.length
    if (known === this.size) return
    const isFew = this.size - known <= Math.max(1, known * INSERTED_SHARE)
    this.#sorted = isFew ? this.#insertNew(known) : this.#sortAll()
    this.#ranks = new Uint32Array(this.size + 1)
    for (let i = 0; i < this.#sorted.length; i++) this.#ranks[this.#sorted[i] as number] = i
  }

  #insertNew(known: number): Uint32Array<ArrayBuffer> {
    const sorted = new Uint32Array(this.size)
    sorted.set(this.#sorted)
    for (let code = known + 1; code <= this.size; code++) {
      const at = this.#search(sorted, code - 1, this.wordOf(code), false)
      sorted.copyWithin(at + 1, at, code - 1)
      sorted[at] = code
    }
    return sorted
  }

  /** Sorts without a comparison function if UTF-16 order equals code point order, which is several times faster. */
  #sortAll(): Uint32Array<ArrayBuffer> {
    const words = this.#words.slice(1)
    if (this.#isPlain) words.sort()
    else words.sort(compareText)
    return Uint32Array.from(words, word => this.find(word))
  }
}
