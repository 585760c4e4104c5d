/**
 * Finds the terms of a dictionary within an edit distance of a word.
 *
 * Terms are visited in order, with one row of the edit distance table per code point, so that only the part of a term that
 * differs from the previous term is computed. As soon as no cell of a row is within the distance, all terms with that prefix are
 * skipped. Only cells near the diagonal can be within the distance, so a row contains just these.
 */
import { PIECE_BREAK } from '@postil/domain/search/tokens'
import type { TermCursor } from './dictionary.ts'
import { TERM_UNITS_MAX } from './field-writer.ts'

/** Calls `visit` with the cursor at each term within the distance. */
export function visitNear(
  cursor: TermCursor,
  wanted: { token: string; distance: number },
  visit: (cursor: TermCursor, distance: number) => void,
): void {
  const table = createTable(wanted)
  let hasTerm = cursor.next()
  while (hasTerm) {
    const dead = readTerm(table, cursor)
    if (dead > 0) {
      hasTerm = cursor.skipPrefix(dead)
      continue
    }
    const distance = distanceOf(table, cursor)
    if (distance <= wanted.distance && cursor.term() !== PIECE_BREAK) visit(cursor, distance)
    hasTerm = cursor.next()
  }
}

interface Table {
  word: number[]
  distance: number
  /** Row `i` stands for the first `i` code points of a term, and its cell `c` for the first `i + c - distance` of the word. */
  cells: Uint8Array
  width: number
  /** By number of UTF-16 code units: the number of complete code points in them. */
  points: Uint16Array
}

function createTable({ token, distance }: { token: string; distance: number }): Table {
  const word = Array.from(token, character => character.codePointAt(0) as number)
  const width = 2 * distance + 1
  const cells = new Uint8Array((TERM_UNITS_MAX + 1) * width)
  for (let cell = 0; cell < width; cell++) cells[cell] = cell < distance ? distance + 1 : cell - distance
  return { word, distance, cells, width, points: new Uint16Array(TERM_UNITS_MAX + 1) }
}

/**
 * Computes the rows for the part of the term that differs from the previous one. Returns the length of a prefix that excludes the
 * term, or 0.
 */
function readTerm(table: Table, { units, length, shared }: TermCursor): number {
  const { points } = table
  for (let i = shared; i < length; i++) {
    const unit = units[i] as number
    const before = points[i] as number
    // A high surrogate. The low surrogate completes the code point; tokens contain no unpaired surrogates.
    const isHalf = unit >= 0xd800 && unit < 0xdc00
    points[i + 1] = isHalf ? before : before + 1
    if (isHalf) continue
    const isPair = unit >= 0xdc00 && unit < 0xe000 && i > 0
    const codePoint = isPair ? (((units[i - 1] as number) - 0xd800) << 10) + unit - 0xdc00 + 0x10000 : unit
    if (addRow(table, before + 1, codePoint) > table.distance) return i + 1
  }
  return 0
}

/** Computes a row and returns its smallest cell. */
function addRow({ word, distance, cells, width }: Table, row: number, codePoint: number): number {
  const far = distance + 1
  const start = row * width
  let least = far
  for (let cell = 0; cell < width; cell++) {
    const column = row + cell - distance
    let value = far
    if (column >= 0 && column <= word.length) {
      const replaced = column === 0 ? far : (cells[start - width + cell] as number) + (word[column - 1] === codePoint ? 0 : 1)
      const inserted = cell + 1 < width ? (cells[start - width + cell + 1] as number) + 1 : far
      const removed = cell > 0 ? (cells[start + cell - 1] as number) + 1 : far
      value = Math.min(far, replaced, inserted, removed)
    }
    cells[start + cell] = value
    if (value < least) least = value
  }
  return least
}

function distanceOf({ word, distance, cells, width, points }: Table, { length }: TermCursor): number {
  const row = points[length] as number
  const cell = word.length - row + distance
  return cell >= 0 && cell < width ? (cells[row * width + cell] as number) : distance + 1
}
