/**
 * A long text in chunks of paragraphs, so that the browser lays out only those on screen. Every paragraph keeps its line break:
 * put together, they are the text to the letter. A paragraph of many screens is parted between two words.
 */
import { type Direction, directionOf } from '../direction.ts'

export interface Paragraph {
  text: string
  /** `auto`: its own first letter decides; the parts of a long paragraph all run as the whole does. */
  direction: 'auto' | Direction
}

export interface Chunk {
  paragraphs: Paragraph[]
  /** A guess, for the height of a chunk that was never on screen. */
  lines: number
}

const CHUNK_LENGTH_MAX = 4000
const CHUNK_PARAGRAPHS_MAX = 60
/** Letters in a line of the page's measure. */
const LINE_LENGTH = 72

function toParts(text: string): Paragraph[] {
  if (text.length <= CHUNK_LENGTH_MAX) return [{ text, direction: 'auto' }]
  const direction = directionOf(text)
  const parts: Paragraph[] = []
  for (let start = 0; start < text.length; ) {
    const full = start + CHUNK_LENGTH_MAX
    const blank = text.lastIndexOf(' ', full)
    const cut = full >= text.length ? text.length : blank > start ? blank + 1 : full
    // Never between the halves of one character.
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
