/** A segment in use: the ordinals of its documents, the deleted documents, and statistics of the others. */
import { Bitmap } from '../bitmap.ts'
import type { Postings } from './postings.ts'
import type { Segment } from './segment.ts'

export interface LiveSegment {
  segment: Segment
  /** By local document: its ordinal in the dataset. */
  ordinals: Uint32Array
  /** Local documents whose text was replaced or whose record was deleted; null if there are none. */
  deleted: Bitmap | null
  /** Number of documents that are not deleted. */
  documents: number
  /** By field: number of words, and number of documents with words, without deleted documents. */
  fields: { words: number; holders: number }[]
}

export function toLiveSegment(segment: Segment, ordinals: Uint32Array): LiveSegment {
  const fields = segment.fields.map(({ words, holders }) => ({ words, holders }))
  return { segment, ordinals, deleted: null, documents: segment.documents, fields }
}

/** Marks a document as deleted. Has no effect if it already is. */
export function deleteDocument(live: LiveSegment, document: number): void {
  live.deleted ??= new Bitmap(live.segment.documents)
  if (live.deleted.has(document)) return
  live.deleted.set(document)
  addToStatistics(live, document, -1)
}

/** Reverts the deletion of a document. */
export function restoreDocument(live: LiveSegment, document: number): void {
  if (!live.deleted?.has(document)) return
  live.deleted.clear(document)
  addToStatistics(live, document, 1)
}

function addToStatistics(live: LiveSegment, document: number, sign: 1 | -1): void {
  live.documents += sign
  live.fields.forEach((field, i) => {
    const length = live.segment.fields[i]?.lengths()[document] ?? 0
    field.words += sign * length
    if (length > 0) field.holders += sign
  })
}

/** Removes deleted documents from the postings, in place. */
export function keepLive({ deleted }: LiveSegment, postings: Postings): Postings {
  if (deleted === null) return postings
  const { documents, frequencies } = postings
  let kept = 0
  for (let i = 0; i < postings.count; i++) {
    const document = documents[i] as number
    if (deleted.has(document)) continue
    documents[kept] = document
    frequencies[kept++] = frequencies[i] as number
  }
  postings.count = kept
  return postings
}

/** Adds documents to a bitmap of ordinals, which must be large enough. */
export function markOrdinals({ ordinals }: LiveSegment, { documents, count }: Postings, { words }: Bitmap): void {
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[documents[i] as number] as number
    words[ordinal >>> 5] = (words[ordinal >>> 5] as number) | (1 << (ordinal & 31))
  }
}
