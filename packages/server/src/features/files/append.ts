/** Writes a stored file sequentially. Another process can continue where an earlier one stopped. */
import { PIECE_BYTES } from '@postil/domain/files'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { openPieces } from '../../storage/pieces.ts'
import { FileGone } from './read.ts'

/**
 * Stores `bytes` after the first `received` bytes of the file. Returns the new length. The caller must update the file's row;
 * until then, the call can be repeated.
 */
export async function appendBytes(
  ctx: Pick<Context, 'config' | 'db'>,
  { fileId, received, bytes, isRedone }: { fileId: Id; received: number; bytes: Uint8Array; isRedone: boolean },
): Promise<number> {
  const pieces = openPieces(ctx)
  const first = Math.floor(received / PIECE_BYTES)
  const begun = received - first * PIECE_BYTES
  const head = begun === 0 ? new Uint8Array(0) : await pieces.get(fileId, first)
  if (head === null || head.length < begun) throw new FileGone('The content of the file is not there any more')
  // In order, so that of two calls with other bytes only the one that stored its first piece stores the others.
  for (let at = -begun, no = first; at < bytes.length; at += PIECE_BYTES, no++) {
    const own = bytes.subarray(Math.max(0, at), at + PIECE_BYTES)
    const piece = at < 0 ? Buffer.concat([head.subarray(0, begun), own]) : own
    await pieces.put(fileId, no, piece, { isRedone })
  }
  return received + bytes.length
}
