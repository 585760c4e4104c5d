/** Iterates over the sorted terms of one field and decodes only as many as necessary. */
import { ByteReader } from './bytes.ts'
import { TERM_UNITS_MAX } from './field-writer.ts'
import { BLOCK_BYTES, BLOCK_TERMS, type FieldLayout } from './format.ts'

/** Location of a term's postings and positions. */
export interface TermEntry {
  documents: number
  postingsAt: number
  positionsAt: number
  positionsEnd: number
}

export class TermCursor implements TermEntry {
  /** The UTF-16 code units of the current term. */
  readonly units = new Uint16Array(TERM_UNITS_MAX)
  length = 0
  /** Number of leading units that the current term shares with the previous one. */
  shared = 0
  documents = 0
  postingsAt = 0
  positionsAt = 0
  positionsEnd = 0
  private postingsEnd: number
  private nextTerm = 0
  private readonly blockCount: number
  private readonly reader: ByteReader
  private readonly blockReader: ByteReader
  private readonly view: DataView
  private readonly layout: FieldLayout

  constructor(bytes: Uint8Array, layout: FieldLayout) {
    this.layout = layout
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.reader = new ByteReader(bytes, layout.dictionary)
    this.blockReader = new ByteReader(bytes, 0)
    this.blockCount = Math.ceil(layout.terms / BLOCK_TERMS)
    this.postingsEnd = layout.postings
    this.positionsEnd = layout.positions
  }

  /** Moves to the next term. Returns false after the last one. */
  next(): boolean {
    if (this.nextTerm >= this.layout.terms) return false
    const { reader, units } = this
    const kept = reader.varint()
    const length = kept + reader.varint()
    let shared = kept
    for (let i = kept; i < length; i++) {
      const unit = reader.varint()
      // The first term of a block is stored in full, but may share units with the term before it.
      if (shared === i && i < this.length && units[i] === unit) shared++
      units[i] = unit
    }
    this.shared = shared
    this.length = length
    this.documents = reader.varint()
    this.postingsAt = this.postingsEnd
    this.postingsEnd += reader.varint()
    this.positionsAt = this.positionsEnd
    this.positionsEnd += reader.varint()
    this.nextTerm++
    return true
  }

  /** Moves to the first term that does not sort before `term`. Returns false if there is none. */
  seek(term: string): boolean {
    if (this.blockCount === 0) return false
    this.jump(Math.max(0, this.findBlock(0, block => this.compareBlock(block, term) <= 0) - 1))
    while (this.next()) if (compareUnits(this.units, this.length, term) >= 0) return true
    return false
  }

  /** Moves to the next term that differs from the current one in the first `depth` units. Returns false if there is none. */
  skipPrefix(depth: number): boolean {
    for (;;) {
      if (this.nextTerm % BLOCK_TERMS === 0 && this.nextTerm < this.layout.terms) this.skipBlocks(depth)
      if (!this.next()) return false
      if (this.shared < depth) return true
    }
  }

  /**
   * Called at the end of a block. Skips the following blocks that begin with the same `depth` units, except for the last of them.
   */
  private skipBlocks(depth: number): void {
    const block = this.nextTerm / BLOCK_TERMS
    const end = this.findBlock(block, other => this.blockHasPrefix(other, depth))
    if (end > block + 1) this.jump(end - 1)
  }

  term(): string {
    return String.fromCharCode(...this.units.subarray(0, this.length))
  }

  /** Returns a copy of the current term's location, which stays valid when the cursor moves on. */
  entry(): TermEntry {
    const { documents, postingsAt, positionsAt, positionsEnd } = this
    return { documents, postingsAt, positionsAt, positionsEnd }
  }

  private jump(block: number): void {
    const at = this.layout.blocks + block * BLOCK_BYTES
    this.reader.at = this.layout.dictionary + this.view.getUint32(at, true)
    this.postingsEnd = this.layout.postings + this.view.getUint32(at + 4, true)
    this.positionsEnd = this.layout.positions + this.view.getUint32(at + 8, true)
    this.nextTerm = block * BLOCK_TERMS
  }

  /** Returns the first block from `from` on for which `isBefore` is false, by binary search. */
  private findBlock(from: number, isBefore: (block: number) => boolean): number {
    let low = from
    let high = this.blockCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(middle)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Moves the block reader to the first term of a block and returns the length of the term. */
  private openBlock(block: number): number {
    this.blockReader.at = this.layout.dictionary + this.view.getUint32(this.layout.blocks + block * BLOCK_BYTES, true)
    this.blockReader.varint()
    return this.blockReader.varint()
  }

  /** Compares the first term of a block with a term. */
  private compareBlock(block: number, term: string): number {
    const length = this.openBlock(block)
    for (let i = 0; i < length && i < term.length; i++) {
      const difference = this.blockReader.varint() - term.charCodeAt(i)
      if (difference !== 0) return difference
    }
    return length - term.length
  }

  private blockHasPrefix(block: number, depth: number): boolean {
    if (this.openBlock(block) < depth) return false
    for (let i = 0; i < depth; i++) if (this.blockReader.varint() !== this.units[i]) return false
    return true
  }
}

/** Compares terms in the order of the dictionary. */
export function compareUnits(units: Uint16Array, length: number, term: string): number {
  for (let i = 0; i < length && i < term.length; i++) {
    const difference = (units[i] as number) - term.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return length - term.length
}

export function compareTerms(left: TermCursor, right: TermCursor): number {
  const most = Math.min(left.length, right.length)
  for (let i = 0; i < most; i++) {
    const difference = (left.units[i] as number) - (right.units[i] as number)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
