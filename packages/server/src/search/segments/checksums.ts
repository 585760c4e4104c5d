/**
 * Checksums of texts, computed from a segment or from the texts.
 *
 * A segment does not contain the texts, only the positions of each term. A checksum is therefore a sum over the terms in any
 * order, and takes a few bytes for each document, regardless of the length of its texts.
 */
import { PIECE_BREAK, toIndexText } from '@postil/domain/search/tokens'
import type { TextDocument } from '../engine.ts'
import { ByteReader } from './bytes.ts'
import { newPostings, readPostings, reserve, skipVarints } from './postings.ts'
import type { Segment, SegmentField } from './segment.ts'

/** Used in place of a position for the number of words. */
const WORDS = -2
/** Target of documents that are left out. */
export const SKIPPED = -1

/** Adds the checksums of a segment's documents to `sums`. `targets` has the index in `sums` for each local document. */
export function addChecksums(segment: Segment, targets: Int32Array, sums: Int32Array): void {
  segment.fields.forEach((field, i) => {
    addTerms(field, i, targets, sums)
    const lengths = field.lengths()
    targets.forEach((target, document) => {
      if (target !== SKIPPED) add(sums, target, mix(lengths[document] as number, i, WORDS))
    })
  })
}

function addTerms({ bytes, cursor: newCursor }: SegmentField, column: number, targets: Int32Array, sums: Int32Array): void {
  const cursor = newCursor()
  const postings = newPostings(1024)
  while (cursor.next()) {
    const term = hash(cursor.term())
    reserve(postings, cursor.documents)
    const { documents, frequencies, count } = readPostings(bytes, cursor, postings)
    const reader = new ByteReader(bytes, cursor.positionsAt)
    for (let i = 0; i < count; i++) {
      const target = targets[documents[i] as number] as number
      const frequency = frequencies[i] as number
      if (target === SKIPPED) {
        reader.at = skipVarints(bytes, reader.at, frequency)
        continue
      }
      let position = -1
      for (let left = frequency; left > 0; left--) {
        position += reader.varint() + 1
        add(sums, target, mix(term, column, position))
      }
    }
  }
}

/** Returns the checksum that `addChecksums` computes for a document with this text. */
export function checksumOf(pieces: TextDocument['pieces']): number {
  let sum = 0
  for (const [column, texts] of pieces.entries()) {
    const text = toIndexText(texts ?? [])
    const terms = text === '' ? [] : text.split(' ')
    let words = 0
    for (const [position, term] of terms.entries()) {
      if (term !== PIECE_BREAK) words++
      sum = (sum + mix(hash(term), column, position)) | 0
    }
    sum = (sum + mix(words, column, WORDS)) | 0
  }
  return sum
}

function add(sums: Int32Array, target: number, value: number): void {
  sums[target] = (sums[target] as number) + value
}

/** FNV-1a over UTF-16 code units. */
function hash(term: string): number {
  let state = 0x811c9dc5
  for (let i = 0; i < term.length; i++) state = Math.imul(state ^ term.charCodeAt(i), 0x01000193)
  return state
}

function mix(value: number, column: number, position: number): number {
  let state = Math.imul(value ^ Math.imul(position + 1, 0x9e3779b1) ^ Math.imul(column + 1, 0x85ebca77), 0xc2b2ae3d)
  state = Math.imul(state ^ (state >>> 15), 0x27d4eb2f)
  return state ^ (state >>> 13)
}
