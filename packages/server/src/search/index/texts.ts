/**
 * The text segments of one dataset. The text of a record is in the newest segment that contains the record, which is the one with
 * the highest number. Its texts in older segments are marked as deleted, as are the texts of records that do not exist.
 */
import type { Bitmap } from '../bitmap.ts'
import { ensureLength, moveElementsUp } from '../grow.ts'
import { type Insertion, renumber, toMoves } from '../insertion.ts'
import { deleteDocument, type LiveSegment, restoreDocument, toLiveSegment } from '../segments/live.ts'
import type { Segment } from '../segments/segment.ts'

/** Memory of a document in addition to the segment's bytes: its ordinal, and its length for each field. */
const DOCUMENT_BYTES = 4
const LENGTH_BYTES = 4

/**
 * Number of segments that may be in memory beyond twice the number of stored ones, because loading the merged segments takes time
 * too.
 */
const STALE_MAX = 8

export class Texts {
  readonly #segments = new Map<number, LiveSegment>()
  /**
   * Numbers of the stored segments at the last `expect`, ascending. Segments in memory may be older ones that have been merged
   * since.
   */
  #stored: number[] = []
  /**
   * Stored segments that must be loaded. Each replaces all segments in memory that are newer than the preceding stored one, up to
   * its own number.
   */
  readonly #unloaded = new Set<number>()
  /** The highest segment number so far. */
  #last = 0
  /** By ordinal: the number of the segment that contains the record's text, plus 1; 0 if there is none. */
  #holders = new Uint32Array(0)
  /** By ordinal: the document number within that segment. */
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

  /** True if a segment is not in memory, or if only some of the segments from which it was merged are. */
  lacks(segmentNo: number): boolean {
    return this.#unloaded.has(segmentNo) || !this.#segments.has(segmentNo)
  }

  /**
   * Sets the numbers of the stored segments. A segment in memory that has been merged since stays valid if the segments that it
   * was merged with are also in memory. If there are many of these, they are replaced by the merged segment.
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

  /** `ordinals` has the ordinals of the segment's documents. */
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
      this.markDeleted(ordinal)
      this.#hold(ordinal, segmentNo, document)
      if (!records.has(ordinal)) deleteDocument(live, document)
    }
  }

  /**
   * Removes the segments in memory from which a stored segment was merged. A segment that `expect` did not name is the next one
   * that was stored.
   */
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

  /**
   * Removes a segment from memory. The stored segment that now contains its texts, possibly a merged one, must be loaded in its
   * place.
   */
  unload(segmentNo: number): void {
    this.#remove(segmentNo)
    const stored = this.#stored.find(other => other >= segmentNo)
    if (stored !== undefined) this.#unloaded.add(stored)
    if (this.#segments.size > 0) return
    this.#holders = new Uint32Array(0)
    this.#documents = new Uint32Array(0)
  }

  /** Marks the text of a deleted record as deleted. */
  markDeleted(ordinal: number): void {
    const live = this.#holderOf(ordinal)
    if (live !== undefined) deleteDocument(live, this.#documents[ordinal] as number)
  }

  /** Restores the text of a record that exists, which may not have been known when its segment was added. */
  restore(ordinal: number): void {
    const live = this.#holderOf(ordinal)
    if (live !== undefined) restoreDocument(live, this.#documents[ordinal] as number)
  }

  insert(insertion: Insertion): void {
    for (const { ordinals } of this.#segments.values()) renumber(ordinals, insertion)
    for (const move of toMoves(insertion)) {
      this.#holders = moveElementsUp(this.#holders, move, 0)
      this.#documents = moveElementsUp(this.#documents, move, 0)
    }
  }

  #holderOf(ordinal: number): LiveSegment | undefined {
    return this.#segments.get((this.#holders[ordinal] ?? 0) - 1)
  }

  #hold(ordinal: number, segmentNo: number, document: number): void {
    this.#holders = ensureLength(this.#holders, ordinal + 1)
    this.#documents = ensureLength(this.#documents, ordinal + 1)
    this.#holders[ordinal] = segmentNo + 1
    this.#documents[ordinal] = document
  }
}

/** For each stored segment (ascending): counts the numbers above the preceding stored segment and up to this one. */
function countParts(stored: readonly number[], numbers: Iterable<number>): Uint32Array {
  const counts = new Uint32Array(stored.length)
  const sorted = Float64Array.from(numbers).sort()
  let at = 0
  stored.forEach((segmentNo, i) => {
    for (; at < sorted.length && (sorted[at] as number) <= segmentNo; at++) counts[i] = (counts[i] as number) + 1
  })
  return counts
}
