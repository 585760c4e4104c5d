/**
 * Splits a long text into chunks of paragraphs, so that the browser lays out only visible ones. Paragraphs include their line
 * breaks: joined, they equal the original text. A very long paragraph is split between two words.
 */
import { type Direction, directionOf } from '../direction.ts'

export interface Paragraph {
  text: string
  /** `auto`: the first letter decides. The parts of a long paragraph all have the direction of the whole paragraph. */
  direction: 'auto' | Direction
}

export interface Chunk {
  paragraphs: Paragraph[]
  /** Estimated number of lines, for the height of a chunk that was never visible. */
  lines: number
}

const CHUNK_LENGTH_MAX = 4000
const CHUNK_PARAGRAPHS_MAX = 60
/** Characters per line at the page's text width. */
const LINE_LENGTH = 72

function toParts(text: string): Paragraph[] {
  if (text.length <= CHUNK_LENGTH_MAX) return [{ text, direction: 'auto' }]
  const direction = directionOf(text)
  const parts: Paragraph[] = []
  for (let start = 0; start < text.length; ) {
    const full = start + CHUNK_LENGTH_MAX
    const blank = text.lastIndexOf(' ', full)
    const cut = full >= text.length ? text.length : blank > start ? blank + 1 : full
    // Never splits a surrogate pair.
    const end = /[\uDC00-\uDFFF]/.test(text[cut] ?? '') ? cut + 1 : cut
    parts.push({ text: text.slice(start, end), direction })
    start = end
  }
  return parts
}

export function toChunks(text: string): Chunk[] {
  const chunks: Chunk[] = []
  let chunk: Chunk = { paragraphs: [], lines: 0 }
  let length = 0
  for (const paragraph of (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).flatMap(toParts)) {
    if (length >= CHUNK_LENGTH_MAX || chunk.paragraphs.length >= CHUNK_PARAGRAPHS_MAX) {
      chunks.push(chunk)
      chunk = { paragraphs: [], lines: 0 }
      length = 0
    }
    chunk.paragraphs.push(paragraph)
    chunk.lines += Math.max(1, Math.ceil(paragraph.text.length / LINE_LENGTH))
    length += paragraph.text.length
  }
  return chunk.paragraphs.length > 0 ? [...chunks, chunk] : chunks
}
