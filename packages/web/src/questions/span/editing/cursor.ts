/** Keyboard cursor in a text: a word or character, or a range between two of them. */
import type { Range } from '../text/offsets.ts'
import { nextCharacter, nextWord, previousCharacter, previousWord } from '../text/words.ts'

export interface Cursor {
  /** Fixed end of the range. */
  anchor: Range
  /** Moving end of the range. */
  head: Range
}

export const cursorOn = (range: Range): Cursor => ({ anchor: range, head: range })

export const rangeOf = ({ anchor, head }: Cursor): Range => ({
  start: Math.min(anchor.start, head.start),
  end: Math.max(anchor.end, head.end),
})

interface Move {
  step: 1 | -1
  isExtending: boolean
  isCharacter: boolean
  /** Start position if there is no cursor yet. */
  from: number
}

/** Stays in place at the end of the text. */
export function moveCursor(text: string, cursor: Cursor | null, move: Move): Cursor | null {
  if (cursor && move.isCharacter && move.isExtending) return moveEdge(text, cursor, move.step)
  const from = cursor?.head ?? { start: move.from, end: move.from }
  const next = move.isCharacter ? stepCharacter(text, from, move.step) : stepWord(text, from, move.step)
  if (!next) return cursor
  return { anchor: move.isExtending && cursor ? cursor.anchor : next, head: next }
}

const stepWord = (text: string, from: Range, step: 1 | -1) =>
  step === 1 ? nextWord(text, from.end) : previousWord(text, from.start)
const stepCharacter = (text: string, from: Range, step: 1 | -1) =>
  step === 1 ? nextCharacter(text, from.end) : previousCharacter(text, from.start)

/** Extends or shrinks the range by one character. */
function moveEdge(text: string, cursor: Cursor, step: 1 | -1): Cursor {
  const { start, end } = rangeOf(cursor)
  const isBackward = cursor.head.start < cursor.anchor.start
  const [fixed, edge] = isBackward ? [end, start] : [start, end]
  const next = step === 1 ? nextCharacter(text, edge)?.end : previousCharacter(text, edge)?.start
  if (next === undefined || next === fixed) return cursor
  return { anchor: { start: fixed, end: fixed }, head: { start: next, end: next } }
}
