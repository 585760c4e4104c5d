/**
 * A long text in chunks of paragraphs, so that the browser lays out only those on screen. Every paragraph keeps its line break:
 * put together, they are the text to the letter.
 */
export interface Chunk {
  paragraphs: string[]
  /** A guess, for the height of a chunk that was never on screen. */
  lines: number
}

const CHUNK_LENGTH_MAX = 4000
const CHUNK_PARAGRAPHS_MAX = 60
/** Letters in a line of the page's measure. */
const LINE_LENGTH = 72

export function toChunks(text: string): Chunk[] {
  const chunks: Chunk[] = []
  let chunk: Chunk = { paragraphs: [], lines: 0 }
  let length = 0
  for (const paragraph of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (length >= CHUNK_LENGTH_MAX || chunk.paragraphs.length >= CHUNK_PARAGRAPHS_MAX) {
      chunks.push(chunk)
      chunk = { paragraphs: [], lines: 0 }
      length = 0
    }
    chunk.paragraphs.push(paragraph)
    chunk.lines += Math.max(1, Math.ceil(paragraph.length / LINE_LENGTH))
    length += paragraph.length
  }
  return chunk.paragraphs.length > 0 ? [...chunks, chunk] : chunks
}
