/** Reads of a file that its own content asks for: often small, and not always within the file. */
import { PIECE_BYTES } from '@postil/domain/files'
import { type ByteFile, refuse } from './table.ts'

/** Enough for a directory at the end of a file and the part that is read. */
const PIECES_KEPT = 3

/**
 * Reads whole pieces and keeps the last ones, so that thousands of small reads cost a few large ones. Refuses positions outside
 * the file, and reads after `deadline`.
 */
export function readInPieces({ name, size, read }: ByteFile, deadline = Number.POSITIVE_INFINITY): ByteFile {
  const kept = new Map<number, Promise<Uint8Array>>()

  function pieceAt(no: number): Promise<Uint8Array> {
    const piece = kept.get(no) ?? read(no * PIECE_BYTES, Math.min(size, (no + 1) * PIECE_BYTES))
    // A failed read may succeed the next time.
    piece.catch(() => kept.delete(no))
    // The most recently used piece comes last.
    kept.delete(no)
    kept.set(no, piece)
    for (const oldest of kept.keys()) if (kept.size > PIECES_KEPT) kept.delete(oldest)
    return piece
  }

  return {
    name,
    size,
    read: async (start, end) => {
      if (start < 0 || end > size || start > end) {
        throw refuse(`\`${name}\` is damaged: it names bytes ${start} to ${end}, but has ${size}`)
      }
      if (Date.now() > deadline) throw refuse('Reading the file took too long. Save it as CSV, or split it')
      const parts: Uint8Array[] = []
      for (let no = Math.floor(start / PIECE_BYTES); no * PIECE_BYTES < end; no++) {
        const begin = no * PIECE_BYTES
        parts.push((await pieceAt(no)).subarray(Math.max(0, start - begin), end - begin))
      }
      return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
    },
  }
}
