import type { TermEntry } from './dictionary.ts'
import type { Places } from './phrase-count.ts'
import { readVarint, skipVarints } from './postings.ts'

const SIZE_MIN = 64

/**
 * By position where a phrase may begin: a stamp that encodes how many of its words were found there. Grows with the longest text.
 */
export class Stamps {
  values = new Uint32Array(SIZE_MIN)

  grow(place: number): Uint32Array<ArrayBuffer> {
    const larger = new Uint32Array(2 * (place + 1))
    larger.set(this.values)
    this.values = larger
    return larger
  }
}

/**
 * Iterates over the documents of one term in ascending order. Positions are decoded on demand, because a phrase needs them only
 * in documents that contain all of its words.
 */
export class DocumentCursor implements Places {
  /** The current document; -1 before the first. */
  document = -1
  /** The positions that were read last. The array is reused for every document. */
  places = new Uint32Array(SIZE_MIN)
  readonly from = 0
  to = 0
  private frequency = 0
  private left: number
  private postingsAt: number
  /**
   * End of the positions that were read last, and the number of positions from there to the end of those in the current document.
   */
  private positionsAt: number
  private ahead = 0
  /** Start of the positions that were read last. */
  private startAt = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, { documents, postingsAt, positionsAt }: TermEntry) {
    this.bytes = bytes
    this.left = documents
    this.postingsAt = postingsAt
    this.positionsAt = positionsAt
  }

  /** Moves to the next document. Returns false after the last one. */
  next(): boolean {
    return this.seek(this.document + 1)
  }

  /** Moves forward to the first document that is not before `least`. Returns false if there is none. */
  seek(least: number): boolean {
    const { bytes } = this
    let { document, frequency, left, ahead, postingsAt: at } = this
    for (; document < least && left > 0; left--) {
      let code = bytes[at++] as number
      if (code > 127) {
        code = readVarint(bytes, at - 1)
        at = skipVarints(bytes, at, 1)
      }
      document += (code >>> 1) + 1
      // A frequency follows if the lowest bit is 0. Branch-free, because the branch would often be mispredicted.
      const follows = 1 - (code & 1)
      frequency = 1 - follows + Math.imul(bytes[at] as number, follows)
      at += follows
      if (frequency > 127) {
        frequency = readVarint(bytes, at - 1)
        at = skipVarints(bytes, at, 1)
      }
      ahead += frequency
    }
    this.document = document
    this.frequency = frequency
    this.left = left
    this.ahead = ahead
    this.postingsAt = at
    return document >= least
  }

  /** Reads the positions in the current document. */
  read(): void {
    const { bytes, frequency } = this
    if (frequency > this.places.length) this.places = new Uint32Array(2 * frequency)
    const { places } = this
    let at = this.startPositions()
    let place = -1
    for (let i = 0; i < frequency; i++) {
      let gap = bytes[at++] as number
      if (gap > 127) {
        gap = readVarint(bytes, at - 1)
        at = skipVarints(bytes, at, 1)
      }
      place += gap + 1
      places[i] = place
    }
    this.to = frequency
    this.positionsAt = at
  }

  /**
   * Sets the stamp of every position in the current document, shifted by `shift`, to `before + 1` if it is `before` or if
   * `isFirst` is true. Returns the number of stamped positions.
   */
  stamp(stamps: Stamps, shift: number, before: number, isFirst: boolean): number {
    const { bytes, frequency } = this
    const always = Number(isFirst)
    let { values } = stamps
    let at = this.startPositions()
    let place = shift - 1
    let count = 0
    for (let i = 0; i < frequency; i++) {
      let gap = bytes[at++] as number
      if (gap > 127) {
        gap = readVarint(bytes, at - 1)
        at = skipVarints(bytes, at, 1)
      }
      place += gap + 1
      if (place >= values.length) values = stamps.grow(place)
      const isStamped = Number(values[place] === before) | always
      values[place] = before + isStamped
      count += isStamped
    }
    this.positionsAt = at
    return count
  }

  /** Skips the positions in earlier documents. Returns the start of those in the current one. */
  private startPositions(): number {
    if (this.ahead > 0) this.startAt = skipVarints(this.bytes, this.positionsAt, this.ahead - this.frequency)
    this.ahead = 0
    return this.startAt
  }
}
