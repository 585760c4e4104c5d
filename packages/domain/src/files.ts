/** Uploaded files for imports, and files that the server stores for download. */
import { invalid } from './errors.ts'
import { Bool, Id, Int, Shape, type Static, Text, Timestamp } from './schema.ts'

/** Size of the pieces in which a file is stored. The last piece may be shorter. */
export const PIECE_BYTES = 1_048_576
/** Maximum number of bytes in one request. */
export const UPLOAD_CONTENT_BYTES_MAX = 8 * PIECE_BYTES
/** Maximum number of concurrent uploads of one user. */
export const UPLOADS_MAX = 20
/** Maximum total size of all files of one user: uploads, exports and rejected rows. */
export const FILES_BYTES_MAX = 10 * 1024 ** 3

export type FileKind = 'upload' | 'export' | 'rejects'

export const UploadCreate = Shape({ name: Text(1, 255), size: Int({ minimum: 1 }) })
export type UploadCreate = Static<typeof UploadCreate>

export const Upload = Shape({
  id: Id,
  name: Text(),
  size: Int(),
  /** Number of stored bytes, which is the offset of the next content. */
  received: Int(),
  complete: Bool(),
  expires_at: Timestamp,
  inserted_at: Timestamp,
})
export type Upload = Static<typeof Upload>

/** Throws for unsafe names, because the name becomes part of external ids and download names. */
export function checkFileName(name: string): void {
  if (/[\0-\x1f\x7f/\\]/.test(name)) throw invalid('The name of a file has no control characters, `/` or `\\`', ['name'])
}
