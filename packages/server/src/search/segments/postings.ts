/** The documents of a term, and its positions in some of them. */
import { ByteReader } from './bytes.ts'
import type { TermEntry } from './dictionary.ts'

/** Local documents in ascending order, with the number of times each holds the term. Only the first `count` entries count. */
export interface Postings {
  documents: Uint32Array
  frequencies: Uint32Array
  count: number
}

export function newPostings(capacity: number): Postings {
  return { documents: new Uint32Array(capacity), frequencies: new Uint32Array(capacity), count: 0 }
}

/** Makes room for `count` entries. What was inside is lost. */
export function reserve(postings: Postings, count: number): void {
  if (postings.documents.length < count) Object.assign(postings, newPostings(2 * count))
}

/** Reads all documents of a term into `postings`, which must have room for them. */
export function readPostings(bytes: Uint8Array, entry: TermEntry, postings: Postings): Postings {
  const { documents, frequencies } = postings
  const count = entry.documents
  let at = entry.postingsAt
  let document = -1
  for (let i = 0; i < count; i++) {
    // Decoded here and not by a reader: this loop decides how long a search for a common word takes.
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

/** The positions of a term in some documents: those of the `i`th are `places[starts[i]]` to `places[starts[i + 1] - 1]`. */
export interface Positions {
  starts: Uint32Array
  places: Uint32Array
}

/**
 * Reads the positions in the wanted documents only. `wanted` holds, in ascending order, their indexes in the postings of
 * the term, or -1 for a document without the term.
 */
export function readPositions(bytes: Uint8Array, entry: TermEntry, postings: Postings, wanted: Int32Array): Positions {
  const { frequencies } = postings
  const starts = new Uint32Array(wanted.length + 1)
  wanted.forEach((index, i) => {
    starts[i + 1] = (starts[i] as number) + (index < 0 ? 0 : (frequencies[index] as number))
  })
  const places = new Uint32Array(starts[wanted.length] as number)
  const reader = new ByteReader(bytes, entry.positionsAt)
  let passed = 0
  let filled = 0
  for (let i = 0; i < wanted.length; i++) {
    const index = wanted[i] as number
    if (index < 0) continue
    let skipped = 0
    for (; passed < index; passed++) skipped += frequencies[passed] as number
    reader.at = skipVarints(bytes, reader.at, skipped)
    let place = -1
    for (const end = starts[i + 1] as number; filled < end; filled++) {
      place += reader.varint() + 1
      places[filled] = place
    }
    passed++
  }
  return { starts, places }
}

/** The offset behind `count` varints. */
export function skipVarints(bytes: Uint8Array, start: number, count: number): number {
  let at = start
  for (let left = count; left > 0; at++) if ((bytes[at] as number) < 128) left--
  return at
}
