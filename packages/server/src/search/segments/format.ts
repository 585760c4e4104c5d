/**
 * Byte layout of a text segment. All integers are little-endian.
 *
 *     header         magic, version, checksum of everything after it, size in bytes, documents, fields, bytes of record numbers
 *     field table    per field: words (64-bit float), documents with words, terms, and the bytes of its five sections
 *     record numbers varints: signed difference from the previous one
 *     per field      lengths     varints: words of each document
 *                    dictionary  terms in the order of UTF-16 code units, in blocks. Per term: the number of units shared with the
 *                                previous term, the number of other units, these units, the number of documents, and the
 *                                bytes of its postings and positions. The first term of a block shares no units.
 *                    blocks      per block 32-bit offsets of its first term: dictionary, postings, positions
 *                    postings    per term and document varints: gap to the previous document, and frequency unless it is 1
 *                    positions   per term and document varints: gaps between positions
 */
import { crc32 } from 'node:zlib'
import type { ByteWriter } from './bytes.ts'

export const BLOCK_TERMS = 16
export const BLOCK_BYTES = 12

const MAGIC = 0x47455350
const VERSION = 1
const CHECKED_FROM = 12
const HEADER_BYTES = 28
const FIELD_BYTES = 36
const SIZE_MAX = 2 ** 32 - 1
/** Bytes per step of the checksum computation, which takes about a millisecond. */
const CHECKSUM_STEP_BYTES = 1024 * 1024

/** Thrown if bytes are not a complete, undamaged segment of this version. */
export class SegmentError extends Error {}

export interface FieldSections {
  words: number
  holders: number
  terms: number
  lengths: ByteWriter
  dictionary: ByteWriter
  blocks: ByteWriter
  postings: ByteWriter
  positions: ByteWriter
}

/** Assembles the sections. Yields after each short step of work. */
export function* assemble(
  documents: number,
  recordNos: ByteWriter,
  fields: readonly FieldSections[],
): Generator<void, Uint8Array<ArrayBuffer>> {
  const sections = fields.map(field => [field.lengths, field.dictionary, field.blocks, field.postings, field.positions])
  const table = HEADER_BYTES + fields.length * FIELD_BYTES
  const size = [recordNos, ...sections.flat()].reduce((sum, section) => sum + section.size, table)
  checkSize(size)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  const header = [MAGIC, VERSION, 0, size, documents, fields.length, recordNos.size]
  header.forEach((value, i) => {
    view.setUint32(i * 4, value, true)
  })
  fields.forEach((field, i) => {
    const at = HEADER_BYTES + i * FIELD_BYTES
    view.setFloat64(at, field.words, true)
    const values = [field.holders, field.terms, ...(sections[i] ?? []).map(section => section.size)]
    values.forEach((value, k) => {
      view.setUint32(at + 8 + k * 4, value, true)
    })
  })
  let at = table
  for (const chunk of [recordNos, ...sections.flat()].flatMap(section => section.chunks())) {
    bytes.set(chunk, at)
    at += chunk.length
    yield
  }
  let checksum = 0
  for (let from = CHECKED_FROM; from < size; from += CHECKSUM_STEP_BYTES) {
    checksum = crc32(bytes.subarray(from, from + CHECKSUM_STEP_BYTES), checksum)
    yield
  }
  view.setUint32(8, checksum, true)
  return bytes
}

/** Returns the segment with other record numbers; `recordNos` must have one for each document. Nothing else is decoded. */
export function withRecordNos(bytes: Uint8Array, recordNos: ByteWriter): Uint8Array<ArrayBuffer> {
  const before = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = HEADER_BYTES + before.getUint32(20, true) * FIELD_BYTES
  const end = start + before.getUint32(24, true)
  const size = bytes.length - (end - start) + recordNos.size
  checkSize(size)
  const numbered = new Uint8Array(size)
  numbered.set(bytes.subarray(0, start))
  let at = start
  for (const chunk of recordNos.chunks()) {
    numbered.set(chunk, at)
    at += chunk.length
  }
  numbered.set(bytes.subarray(end), at)
  const view = new DataView(numbered.buffer)
  view.setUint32(12, size, true)
  view.setUint32(24, recordNos.size, true)
  view.setUint32(8, crc32(numbered.subarray(CHECKED_FROM)), true)
  return numbered
}

function checkSize(size: number): void {
  if (size > SIZE_MAX) throw new SegmentError(`A text segment of ${size} bytes is too large: at most ${SIZE_MAX} are possible`)
}

/** Offsets into the segment's bytes. */
export interface FieldLayout {
  words: number
  holders: number
  terms: number
  lengths: number
  dictionary: number
  blocks: number
  postings: number
  positions: number
}

export interface SegmentLayout {
  documents: number
  recordNos: number
  fields: FieldLayout[]
}

/**
 * Validates the bytes and returns the offsets of all sections. Throws `SegmentError` if the bytes are not a segment or are
 * damaged.
 */
export function readLayout(bytes: Uint8Array): SegmentLayout {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkBytes(bytes, view)
  const documents = view.getUint32(16, true)
  const fieldCount = view.getUint32(20, true)
  const recordNos = HEADER_BYTES + fieldCount * FIELD_BYTES
  let at = recordNos + view.getUint32(24, true)
  const fields: FieldLayout[] = []
  for (let i = 0; i < fieldCount; i++) {
    const entry = HEADER_BYTES + i * FIELD_BYTES
    const value = (k: number) => view.getUint32(entry + 8 + k * 4, true)
    const lengths = at
    const dictionary = lengths + value(2)
    const blocks = dictionary + value(3)
    const postings = blocks + value(4)
    const positions = postings + value(5)
    at = positions + value(6)
    const words = view.getFloat64(entry, true)
    fields.push({ words, holders: value(0), terms: value(1), lengths, dictionary, blocks, postings, positions })
  }
  return { documents, recordNos, fields }
}

function checkBytes(bytes: Uint8Array, view: DataView): void {
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) throw new SegmentError('Not a text segment')
  const version = view.getUint32(4, true)
  if (version !== VERSION) throw new SegmentError(`A text segment of version ${version}; only version ${VERSION} can be read`)
  const size = view.getUint32(12, true)
  if (size !== bytes.length) throw new SegmentError(`A damaged text segment: ${bytes.length} bytes instead of ${size}`)
  if (crc32(bytes.subarray(CHECKED_FROM)) !== view.getUint32(8, true)) {
    throw new SegmentError('A damaged text segment: its checksum does not match its bytes')
  }
}
