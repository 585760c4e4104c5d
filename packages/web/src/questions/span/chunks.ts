/**
 * A text in paragraphs, and those in chunks of a screen or so, each drawn by itself: a change in one leaves the others alone,
 * and those far away need no layout. A paragraph of many screens is parted between two words. Put together, the paragraphs are
 * the text to the letter.
 */
import { type Direction, directionOf } from '../../fields/direction.ts'
import type { Range } from './offsets.ts'

const CHUNK_UNITS = 1_500
const CHUNK_PARAGRAPHS = 24
const PART_UNITS = 3_000
/** Letters in a line of the page's measure. */
const LINE_UNITS = 72

export interface Paragraph extends Range {
  /** `auto`: its own first letter decides; the parts of a long paragraph all run as the whole does. */
  direction: 'auto' | Direction
}

export interface Chunk extends Range {
  paragraphs: Paragraph[]
  /** A guess, for the height of a chunk that was never on screen. */
  lines: number
}

export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = []
  let open: Chunk | undefined
  for (const paragraph of paragraphsOf(text)) {
    if (!open || open.end - open.start >= CHUNK_UNITS || open.paragraphs.length >= CHUNK_PARAGRAPHS) {
      open = { start: paragraph.start, end: paragraph.end, paragraphs: [], lines: 0 }
      chunks.push(open)
    }
    open.paragraphs.push(paragraph)
    open.end = paragraph.end
    open.lines += Math.max(1, Math.ceil((paragraph.end - paragraph.start) / LINE_UNITS))
  }
  return chunks
}

/** Each with the line break at its end. */
const paragraphsOf = (text: string): Paragraph[] =>
  [...text.matchAll(/[^\n]*\n|[^\n]+$/g)].flatMap(({ index, 0: line }) =>
    partsOf(text, { start: index, end: index + line.length }),
  )

function partsOf(text: string, { start, end }: Range): Paragraph[] {
  if (end - start <= PART_UNITS) return [{ start, end, direction: 'auto' }]
  const direction = directionOf(text.slice(start, end))
  const parts: Paragraph[] = []
  let from = start
  while (end - from > PART_UNITS) {
    const space = text.slice(from, from + CHUNK_UNITS).search(/\s\S*$/)
    // Not between the two units of a character: a run without spaces is parted at a place where none is cut.
    const isPair = space < 0 && (text.charCodeAt(from + CHUNK_UNITS) & 0xfc00) === 0xdc00
    const to = from + (space < 0 ? CHUNK_UNITS + (isPair ? 1 : 0) : space + 1)
    parts.push({ start: from, end: to, direction })
    from = to
  }
  return [...parts, { start: from, end, direction }]
}

/** The index of the part that holds this place; between two, the one before it. */
export function indexAt(parts: readonly Range[], at: number): number {
  let from = 0
  let to = parts.length - 1
  while (from < to) {
    const middle = (from + to + 1) >> 1
    if ((parts[middle]?.start ?? 0) <= at) from = middle
    else to = middle - 1
  }
  return from
}
