/**
 * The text segments of one dataset. The text of a record is that of the newest segment that holds it, which is the one with the highest
 * number; older ones are marked as deleted, like the texts of records that do not exist.
 */
import type { Bitmap } from '../bitmap.ts'
import { grown, movedUp } from '../grow.ts'
import { type Insertion, renumber, toMoves } from '../insertion.ts'
import { deleteDocument, type LiveSegment, restoreDocument, toLiveSegment } from '../segments/live.ts'
import type { MergeSource } from '../segments/merge.ts'
import type { Segment } from '../segments/segment.ts'

/** What a document takes besides the segment's bytes: its record number and ordinal, and by field its length. */
const DOCUMENT_BYTES = 12
const LENGTH_BYTES = 4

export class Texts {
  readonly #segments = new Map<number, LiveSegment>()
  /** Numbers of segments that are not in memory. */
  readonly #unloaded = new Set<number>()
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

  segments(): LiveSegment[] {
    return [...this.#segments.values()]
  }

  unloaded(): number[] {
    return [...this.#unloaded]
  }

  has(segmentNo: number): boolean {
    return this.#segments.has(segmentNo)
  }

  /** Says which segments are stored. Those in memory that were merged by others meanwhile are still right, and stay. */
  expect(segmentNos: readonly number[]): void {
    this.#unloaded.clear()
    for (const segmentNo of segmentNos) if (!this.#segments.has(segmentNo)) this.#unloaded.add(segmentNo)
  }

  /** `ordinals` are those of the segment's documents. */
  add(segmentNo: number, segment: Segment, ordinals: Uint32Array, records: Bitmap): void {
    const live = toLiveSegment(segment, ordinals)
    this.#segments.set(segmentNo, live)
    this.#unloaded.delete(segmentNo)
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

  /** Forgets segments. */
  remove(segmentNos: readonly number[]): void {
    for (const segmentNo of segmentNos) {
      this.#unloaded.delete(segmentNo)
      for (const ordinal of this.#segments.get(segmentNo)?.ordinals ?? []) {
        if (this.#holders[ordinal] === segmentNo + 1) this.#holders[ordinal] = 0
      }
      this.#segments.delete(segmentNo)
    }
  }

  /** Removes all segments from memory, and returns their numbers. */
  unload(): number[] {
    const segmentNos = [...this.#segments.keys()]
    for (const segmentNo of segmentNos) this.#unloaded.add(segmentNo)
    this.#segments.clear()
    this.#holders = new Uint32Array(0)
    this.#documents = new Uint32Array(0)
    return segmentNos
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

  /** What a merge of these segments starts from. */
  sourcesOf(segmentNos: readonly number[]): MergeSource[] {
    return segmentNos.map(segmentNo => {
      const live = this.#segments.get(segmentNo)
      if (live === undefined) throw new Error(`The text segment ${segmentNo} is not loaded`)
      return { segment: live.segment, deleted: live.deleted }
    })
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
