/** A segment in use: where its documents are in the dataset, which of them still count, and their statistics. */
import { hasBit, newBits, setBit } from './bits.ts'
import type { Postings } from './postings.ts'
import type { Segment } from './segment.ts'

export interface LiveSegment {
  segment: Segment
  /** By local document: its ordinal in the dataset. */
  ordinals: Uint32Array
  /** Local documents whose text was changed or whose record was deleted; null if there are none. */
  deleted: Uint32Array | null
  /** How many documents count. */
  documents: number
  /** By field: words of the documents that count, and how many of them have words. */
  fields: { words: number; holders: number }[]
}

export function toLiveSegment(segment: Segment, ordinals: Uint32Array): LiveSegment {
  const fields = segment.fields.map(({ words, holders }) => ({ words, holders }))
  return { segment, ordinals, deleted: null, documents: segment.documents, fields }
}

/** Deleting a document twice changes nothing. */
export function deleteDocument(live: LiveSegment, document: number): void {
  live.deleted ??= newBits(live.segment.documents)
  if (hasBit(live.deleted, document)) return
  setBit(live.deleted, document)
  live.documents--
  live.fields.forEach((field, i) => {
    const length = live.segment.fields[i]?.lengths()[document] ?? 0
    field.words -= length
    if (length > 0) field.holders--
  })
}

/** Removes documents that do not count. */
export function keepLive({ deleted }: LiveSegment, postings: Postings): Postings {
  if (deleted === null) return postings
  const { documents, frequencies } = postings
  let kept = 0
  for (let i = 0; i < postings.count; i++) {
    const document = documents[i] as number
    if (hasBit(deleted, document)) continue
    documents[kept] = document
    frequencies[kept++] = frequencies[i] as number
  }
  postings.count = kept
  return postings
}

/** Adds documents to a bitmap of ordinals. */
export function markOrdinals({ ordinals }: LiveSegment, { documents, count }: Postings, bits: Uint32Array): void {
  for (let i = 0; i < count; i++) setBit(bits, ordinals[documents[i] as number] as number)
}

/** All documents that count, as a bitmap of `size` ordinals. */
export function liveOrdinals(segments: readonly LiveSegment[], size: number): Uint32Array {
  const bits = newBits(size)
  for (const { segment, ordinals, deleted } of segments) {
    for (let i = 0; i < segment.documents; i++) {
      if (deleted === null || !hasBit(deleted, i)) setBit(bits, ordinals[i] as number)
    }
  }
  return bits
}
