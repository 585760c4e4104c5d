import type { TermEntry } from './dictionary.ts'
import type { Places } from './phrase-count.ts'
import { readVarint, skipVarints } from './postings.ts'

const SIZE_MIN = 64

/** By place where a phrase may begin: a number that says how many of its words were found there. Grows with the longest text. */
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
 * Walks the documents of one term, in ascending order. Positions are decoded only in documents for which they are asked: a phrase needs
 * those of the documents that hold all of its words.
 */
export class DocumentCursor implements Places {
  /** The current document; -1 before the first. */
  document = -1
  /** The positions that were read last. The same memory is used for every document. */
  places = new Uint32Array(SIZE_MIN)
  readonly from = 0
  to = 0
  private frequency = 0
  private left: number
  private postingsAt: number
  /** Where the positions end that were read last, and how many lie between there and the end of those in the current document. */
  private positionsAt: number
  private ahead = 0
  /** Where the positions begin that were read last. */
  private startAt = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, { documents, postingsAt, positionsAt }: TermEntry) {
    this.bytes = bytes
    this.left = documents
    this.postingsAt = postingsAt
    this.positionsAt = positionsAt
  }

  /** Goes to the next document. False after the last. */
  next(): boolean {
    return this.seek(this.document + 1)
  }

  /** Goes on to the first document that is not before `least`. False if there is none. */
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
      // A frequency follows if the lowest bit is 0. Without a branch, which would often be predicted wrongly.
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
   * Stamps every position in the current document, moved by `shift`, with `before + 1`, if its stamp is `before` or `isFirst`. Returns
   * how many there are.
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

  /** Skips the positions in documents that were passed. Returns where those in the current one begin. */
  private startPositions(): number {
    if (this.ahead > 0) this.startAt = skipVarints(this.bytes, this.positionsAt, this.ahead - this.frequency)
    this.ahead = 0
    return this.startAt
  }
}
