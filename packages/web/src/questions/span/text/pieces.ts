/** Splits a paragraph at the boundaries of marks, so that each piece has one style. */
import type { Range } from './offsets.ts'

export interface Piece<Mark> extends Range {
  /** Marks that cover the piece, top level first. */
  marks: Mark[]
}

/** Marks must be sorted by start. */
export function piecesOf<Mark extends Range & { level: number }>({ start, end }: Range, marks: readonly Mark[]): Piece<Mark>[] {
  const own = marks.filter(mark => mark.start < end && mark.end > start)
  const cuts = own.flatMap(mark => [Math.max(mark.start, start), Math.min(mark.end, end)])
  const borders = [...new Set([start, ...cuts, end])].sort((a, b) => a - b)
  const pieces: Piece<Mark>[] = []
  let open: Mark[] = []
  let next = 0
  for (const [index, from] of borders.slice(0, -1).entries()) {
    open = open.filter(mark => mark.end > from)
    for (let mark = own[next]; mark && mark.start <= from; mark = own[++next]) open.push(mark)
    pieces.push({ start: from, end: borders[index + 1] ?? end, marks: open.toSorted((a, b) => a.level - b.level) })
  }
  return pieces
}
