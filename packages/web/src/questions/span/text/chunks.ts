/**
 * Splits a text into paragraphs, and paragraphs into chunks of about a screen. Chunks render independently, and distant ones need
 * no layout. A very long paragraph is split between two words. Joined, the paragraphs equal the original text.
 */
import { type Direction, directionOf } from '../../../fields/direction.ts'
import type { Range } from './offsets.ts'

const CHUNK_UNITS = 1_500
const CHUNK_PARAGRAPHS = 24
const PART_UNITS = 3_000
/** Characters per line at the page's text width. */
const LINE_UNITS = 72

export interface Paragraph extends Range {
  /** `auto`: the first letter decides. The parts of a long paragraph all have the direction of the whole paragraph. */
  direction: 'auto' | Direction
}

export interface Chunk extends Range {
  paragraphs: Paragraph[]
  /** Estimated number of lines, for the height of a chunk that was never visible. */
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

/** Paragraphs include their trailing line break. */
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
    // A run without spaces is split at the limit, but never inside a surrogate pair.
    const isPair = space < 0 && (text.charCodeAt(from + CHUNK_UNITS) & 0xfc00) === 0xdc00
    const to = from + (space < 0 ? CHUNK_UNITS + (isPair ? 1 : 0) : space + 1)
    parts.push({ start: from, end: to, direction })
    from = to
  }
  return [...parts, { start: from, end, direction }]
}

/** Returns the index of the part that contains this offset; between two parts, the earlier one. */
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
