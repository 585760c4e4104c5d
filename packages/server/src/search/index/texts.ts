/**
 * The text segments of one dataset. The text of a record is that of the newest segment that holds it, which is the one with the highest
 * number; older ones are marked as deleted, like the texts of records that do not exist.
 */
import type { Bitmap } from '../bitmap.ts'
import { grown, movedUp } from '../grow.ts'
import { type Insertion, renumber, toMoves } from '../insertion.ts'
import { deleteDocument, type LiveSegment, restoreDocument, toLiveSegment } from '../segments/live.ts'
import type { Segment } from '../segments/segment.ts'

/** What a document takes besides the segment's bytes: its ordinal, and by field its length. */
const DOCUMENT_BYTES = 4
const LENGTH_BYTES = 4

/** So many segments more than twice those stored may be in memory: loading the merged ones takes time too. */
const STALE_MAX = 8

export class Texts {
  readonly #segments = new Map<number, LiveSegment>()
  /** Numbers of the stored segments at the last `expect`, ascending. Segments in memory may be older ones that were merged since. */
  #stored: number[] = []
  /** Those of them that must be loaded: each takes the place of all in memory that are newer than the stored one before it. */
  readonly #unloaded = new Set<number>()
  /** The highest segment number so far. */
  #last = 0
  /** By ordinal: the number of the segment that holds the record's text, plus 1, because 0 says that none does. */
  #holders = new Uint32Array(0)
  /** By ordinal: the local document in that segment. */
  #documents = new Uint32Array(0)

  get bytes(): number {
    const sizes = [...this.#segments.values()].map(({ segment, deleted }) => {
      const perDocument = DOCUMENT_BYTES + segment.fields.length * LENGTH_BYTES
      return segment.bytes.byteLength + segment.documents * perDocument + (deleted?.bytes ?? 0)
    })
    return sizes.reduce((sum, bytes) => sum + bytes, this.#holders.byteLength + this.#documents.byteLength)
  }

  /** Numbers of the segments in memory. */
  loaded(): number[] {
    return [...this.#segments.keys()]
  }

  segments(): LiveSegment[] {
    return [...this.#segments.values()]
  }

  unloaded(): number[] {
    return [...this.#unloaded]
  }

  /** Whether a segment is not in memory, or only parts of what it was merged from are. */
  lacks(segmentNo: number): boolean {
    return this.#unloaded.has(segmentNo) || !this.#segments.has(segmentNo)
  }

  /**
   * Says which segments are stored. One in memory that was merged with others meanwhile is still right if these are in memory too. They are
   * replaced by the merged one when there are many.
   */
  expect(segmentNos: readonly number[]): void {
    const stored = segmentNos.toSorted((a, b) => a - b)
    const loaded = countParts(stored, this.#segments.keys())
    const unloaded = countParts(stored, this.#unloaded)
    const hasMany = this.#segments.size > 2 * stored.length + STALE_MAX
    this.#unloaded.clear()
    stored.forEach((segmentNo, i) => {
      const parts = loaded[i] as number
      const isHeld = parts > 0 && unloaded[i] === 0 && segmentNo <= this.#last
      if (!isHeld || (parts > 1 && hasMany)) this.#unloaded.add(segmentNo)
    })
    this.#stored = stored
    this.#last = Math.max(this.#last, stored.at(-1) ?? 0)
  }

  /** `ordinals` are those of the segment's documents. */
  add(segmentNo: number, segment: Segment, ordinals: Uint32Array, records: Bitmap): void {
    this.#removeParts(segmentNo)
    const live = toLiveSegment(segment, ordinals)
    this.#segments.set(segmentNo, live)
    for (let document = 0; document < ordinals.length; document++) {
      const ordinal = ordinals[document] as number
      const holder = (this.#holders[ordinal] ?? 0) - 1
      if (holder > segmentNo) {
        deleteDocument(live, document)
        continue
      }
      this.bury(ordinal)
      this.#hold(ordinal, segmentNo, document)
      if (!records.has(ordinal)) deleteDocument(live, document)
    }
  }

  /** Removes from memory what a stored segment was merged from. One that it was not told of is the next one that was stored. */
  #removeParts(segmentNo: number): void {
    if (this.#unloaded.delete(segmentNo)) {
      const previous = this.#stored[this.#stored.indexOf(segmentNo) - 1] ?? 0
      for (const other of this.#segments.keys()) if (other > previous && other <= segmentNo) this.#remove(other)
    } else {
      this.#stored = this.#stored.concat(segmentNo).sort((a, b) => a - b)
      this.#last = Math.max(this.#last, segmentNo)
    }
  }

  #remove(segmentNo: number): void {
    for (const ordinal of this.#segments.get(segmentNo)?.ordinals ?? []) {
      if (this.#holders[ordinal] === segmentNo + 1) this.#holders[ordinal] = 0
    }
    this.#segments.delete(segmentNo)
  }

  /** Removes a segment from memory. What must be loaded for it is the stored one, with which it may have been merged. */
  unload(segmentNo: number): void {
    this.#remove(segmentNo)
    const stored = this.#stored.find(other => other >= segmentNo)
    if (stored !== undefined) this.#unloaded.add(stored)
    if (this.#segments.size > 0) return
    this.#holders = new Uint32Array(0)
    this.#documents = new Uint32Array(0)
  }

  /** The text of a record that was deleted does not count any more. */
  bury(ordinal: number): void {
    const live = this.#holderOf(ordinal)
    if (live !== undefined) deleteDocument(live, this.#documents[ordinal] as number)
  }

  /** The text of a record that exists, and may have been unknown when its segment came, counts. */
  revive(ordinal: number): void {
    const live = this.#holderOf(ordinal)
    if (live !== undefined) restoreDocument(live, this.#documents[ordinal] as number)
  }

  insert(insertion: Insertion): void {
    for (const { ordinals } of this.#segments.values()) renumber(ordinals, insertion)
    for (const move of toMoves(insertion)) {
      this.#holders = movedUp(this.#holders, move, 0)
      this.#documents = movedUp(this.#documents, move, 0)
    }
  }

  #holderOf(ordinal: number): LiveSegment | undefined {
    return this.#segments.get((this.#holders[ordinal] ?? 0) - 1)
  }

  #hold(ordinal: number, segmentNo: number, document: number): void {
    this.#holders = grown(this.#holders, ordinal + 1)
    this.#documents = grown(this.#documents, ordinal + 1)
    this.#holders[ordinal] = segmentNo + 1
    this.#documents[ordinal] = document
  }
}

/** By stored segment, which ascend: how many of the numbers lie after the one before it, and up to it. */
function countParts(stored: readonly number[], numbers: Iterable<number>): Uint32Array {
  const counts = new Uint32Array(stored.length)
  const sorted = Float64Array.from(numbers).sort()
  let at = 0
  stored.forEach((segmentNo, i) => {
    for (; at < sorted.length && (sorted[at] as number) <= segmentNo; at++) counts[i] = (counts[i] as number) + 1
  })
  return counts
}
