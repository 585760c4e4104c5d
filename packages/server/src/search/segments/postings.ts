/** Posting lists of terms. */
import type { TermEntry } from './dictionary.ts'

/** Local documents in ascending order, with the frequency of the term in each. Only the first `count` entries are valid. */
export interface Postings {
  documents: Uint32Array
  frequencies: Uint32Array
  count: number
}

export function newPostings(capacity: number): Postings {
  return { documents: new Uint32Array(capacity), frequencies: new Uint32Array(capacity), count: 0 }
}

/** Makes room for `count` entries. Existing entries may be lost. */
export function reserve(postings: Postings, count: number): void {
  if (postings.documents.length < count) Object.assign(postings, newPostings(2 * count))
}

/** Appends a document, which must be greater than all existing ones. */
export function addPosting(postings: Postings, document: number, frequency: number): void {
  const { count } = postings
  if (count === postings.documents.length) {
    const { documents, frequencies } = postings
    reserve(postings, count + 1)
    postings.documents.set(documents)
    postings.frequencies.set(frequencies)
  }
  postings.documents[count] = document
  postings.frequencies[count] = frequency
  postings.count = count + 1
}

/** Reads all documents of a term into `postings`, which must have room for them. */
export function readPostings(bytes: Uint8Array, entry: TermEntry, postings: Postings): Postings {
  const { documents, frequencies } = postings
  const count = entry.documents
  let at = entry.postingsAt
  let document = -1
  for (let i = 0; i < count; i++) {
    // Decoded inline rather than with a reader, because this loop dominates the time of a search for a common word.
    let code = bytes[at++] as number
    if (code > 127) {
      code &= 127
      let byte = 128
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] as number
        code |= (byte & 127) << shift
      }
    }
    document += (code >>> 1) + 1
    documents[i] = document
    let frequency = 1
    if ((code & 1) === 0) {
      frequency = bytes[at++] as number
      if (frequency > 127) {
        frequency &= 127
        let byte = 128
        for (let shift = 7; byte > 127; shift += 7) {
          byte = bytes[at++] as number
          frequency |= (byte & 127) << shift
        }
      }
    }
    frequencies[i] = frequency
  }
  postings.count = count
  return postings
}

/** Reads a varint of at most 32 bits. */
export function readVarint(bytes: Uint8Array, start: number): number {
  let byte = bytes[start] as number
  let value = byte & 127
  for (let at = start + 1, shift = 7; byte > 127; at++, shift += 7) {
    byte = bytes[at] as number
    value |= (byte & 127) << shift
  }
  return value
}

/** Returns the offset after `count` varints. */
export function skipVarints(bytes: Uint8Array, start: number, count: number): number {
  let at = start
  for (let left = count; left > 0; at++) if ((bytes[at] as number) < 128) left--
  return at
}
