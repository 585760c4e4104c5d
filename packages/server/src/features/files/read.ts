/** Reads stored files as byte ranges or streams. */
import { PIECE_BYTES } from '@postil/domain/files'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { openPieces } from '../../storage/pieces.ts'

/** The content no longer exists: the file was deleted or has expired, or the home path was restored without it. */
export class FileGone extends Error {
  override readonly name = 'FileGone'
}

/** Streams the bytes from `start` up to, but not including, `end`, in pieces. */
export async function* streamFile(
  ctx: Pick<Context, 'config' | 'db'>,
  fileId: Id,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  const pieces = openPieces(ctx)
  let at = start
  while (at < end) {
    const no = Math.floor(at / PIECE_BYTES)
    const piece = await pieces.get(fileId, no)
    const from = at - no * PIECE_BYTES
    const bytes = piece?.subarray(from, Math.min(PIECE_BYTES, end - no * PIECE_BYTES))
    const wanted = Math.min(PIECE_BYTES - from, end - at)
    if (bytes === undefined || bytes.length < wanted) throw new FileGone('The content of the file is not there any more')
    yield bytes
    at += wanted
  }
}

export async function readFileRange(
  ctx: Pick<Context, 'config' | 'db'>,
  fileId: Id,
  range: { start: number; end: number },
): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, range.end - range.start))
  let at = 0
  for await (const chunk of streamFile(ctx, fileId, range)) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
