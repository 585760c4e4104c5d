/** Writes the terms of one field in sort order, each with its documents and positions. */
import { TOKEN_LENGTH_MAX } from '@postil/domain/search/tokens'
import { ByteWriter } from './bytes.ts'
import { BLOCK_TERMS, type FieldSections } from './format.ts'

/** A token has at most `TOKEN_LENGTH_MAX` code points, each of one or two UTF-16 code units. */
export const TERM_UNITS_MAX = 2 * TOKEN_LENGTH_MAX

export class FieldWriter implements FieldSections {
  words = 0
  holders = 0
  terms = 0
  readonly lengths = new ByteWriter()
  readonly dictionary = new ByteWriter()
  readonly blocks = new ByteWriter()
  readonly postings = new ByteWriter()
  readonly positions = new ByteWriter()
  private readonly lastUnits = new Uint16Array(TERM_UNITS_MAX)
  private lastLength = 0
  private documents = 0
  private lastDocument = -1
  private postingsStart = 0
  private positionsStart = 0

  /** Must be called once for each document, in order. */
  addLength(words: number): void {
    this.lengths.varint(words)
    this.words += words
    if (words > 0) this.holders++
  }

  /** Adds a document to the current term. The caller writes its positions to `positions`. */
  addPosting(document: number, frequency: number): void {
    const gap = document - this.lastDocument - 1
    if (frequency === 1) this.postings.varint(gap * 2 + 1)
    else {
      this.postings.varint(gap * 2)
      this.postings.varint(frequency)
    }
    this.lastDocument = document
    this.documents++
  }

  /** Ends the current term, whose units are those from `start` to `end`. A term without documents is left out. */
  endTerm(units: Uint16Array, start: number, end: number): void {
    if (this.documents === 0) return
    const isFirst = this.terms % BLOCK_TERMS === 0
    if (isFirst) this.startBlock()
    const shared = isFirst ? 0 : this.sharedUnits(units, start, end)
    const length = end - start
    this.dictionary.varint(shared)
    this.dictionary.varint(length - shared)
    for (let i = shared; i < length; i++) {
      const unit = units[start + i] as number
      this.dictionary.varint(unit)
      this.lastUnits[i] = unit
    }
    this.dictionary.varint(this.documents)
    this.dictionary.varint(this.postings.size - this.postingsStart)
    this.dictionary.varint(this.positions.size - this.positionsStart)
    this.lastLength = length
    this.terms++
    this.documents = 0
    this.lastDocument = -1
    this.postingsStart = this.postings.size
    this.positionsStart = this.positions.size
  }

  private startBlock(): void {
    this.blocks.uint32(this.dictionary.size)
    this.blocks.uint32(this.postingsStart)
    this.blocks.uint32(this.positionsStart)
  }

  private sharedUnits(units: Uint16Array, start: number, end: number): number {
    const most = Math.min(end - start, this.lastLength)
    let shared = 0
    while (shared < most && units[start + shared] === this.lastUnits[shared]) shared++
    return shared
  }
}
