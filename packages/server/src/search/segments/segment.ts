/** An immutable part of a dataset's text index. Opening it validates the bytes; everything else is decoded on demand. */
import { ByteReader } from './bytes.ts'
import { compareUnits, TermCursor, type TermEntry } from './dictionary.ts'
import { type FieldLayout, readLayout } from './format.ts'
import { readRecordNos } from './record-nos.ts'

export interface SegmentField {
  bytes: Uint8Array
  /** Total number of words in all documents. */
  words: number
  /** Number of documents that have words. */
  holders: number
  /** Number of distinct terms, including the break between pieces. */
  terms: number
  /** By local document: its number of words. */
  lengths(): Uint32Array
  find(term: string): TermEntry | null
  /** Returns a new cursor, positioned before the first term. */
  cursor(): TermCursor
}

export interface Segment {
  bytes: Uint8Array
  documents: number
  fields: SegmentField[]
  /** Record numbers by local document. Not cached, because they are needed only once, when the segment is added to an index. */
  recordNos(): Float64Array
}

/** Throws `SegmentError` if the bytes are not a segment of this version, or are damaged. */
export function openSegment(source: Uint8Array): Segment {
  // Converts a Buffer to a plain array, so that the loops over bytes are monomorphic.
  const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
  const { documents, recordNos, fields } = readLayout(bytes)
  return {
    bytes,
    documents,
    fields: fields.map(layout => openField(bytes, layout, documents)),
    recordNos: () => readRecordNos(bytes, recordNos, documents),
  }
}

function openField(bytes: Uint8Array, layout: FieldLayout, documents: number): SegmentField {
  const { words, holders, terms } = layout
  const newCursor = () => new TermCursor(bytes, layout)
  const finder = once(newCursor)
  return {
    bytes,
    words,
    holders,
    terms,
    lengths: once(() => decodeLengths(bytes, layout.lengths, documents)),
    find(term) {
      const cursor = finder()
      const isFound = cursor.seek(term) && compareUnits(cursor.units, cursor.length, term) === 0
      return isFound ? cursor.entry() : null
    },
    cursor: newCursor,
  }
}

function decodeLengths(bytes: Uint8Array, at: number, documents: number): Uint32Array {
  const reader = new ByteReader(bytes, at)
  const lengths = new Uint32Array(documents)
  for (let i = 0; i < documents; i++) lengths[i] = reader.varint()
  return lengths
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
