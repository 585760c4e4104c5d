/** An immutable piece of a dataset's text index. Opening checks the bytes; everything else is decoded when it is asked for. */
import { ByteReader } from './bytes.ts'
import { compareUnits, TermCursor, type TermEntry } from './dictionary.ts'
import { type FieldLayout, readLayout } from './format.ts'
import { readRecordNos } from './record-nos.ts'

export interface SegmentField {
  bytes: Uint8Array
  /** How many words its documents have together. */
  words: number
  /** How many documents have words. */
  holders: number
  /** How many different terms there are, the break between pieces included. */
  terms: number
  /** By local document: its number of words. */
  lengths(): Uint32Array
  find(term: string): TermEntry | null
  /** A new cursor, before the first term. */
  cursor(): TermCursor
}

export interface Segment {
  bytes: Uint8Array
  documents: number
  fields: SegmentField[]
  /** By local document. Not kept: they are needed once, when the segment is put to use. */
  recordNos(): Float64Array
}

/** Throws `SegmentError` for bytes that are not a segment of this version, or are damaged. */
export function openSegment(source: Uint8Array): Segment {
  // Not a Buffer, so that the loops over bytes see one type only.
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
