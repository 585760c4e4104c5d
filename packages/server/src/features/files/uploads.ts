/** Uploads: files that arrive in pieces. Only the user who sends a file can see it. */
import { route } from '@postil/domain/api/route'
import { allow, conflict, invalid } from '@postil/domain/errors'
import { checkFileName, FILES_BYTES_MAX, UPLOADS_MAX, type Upload, type UploadCreate } from '@postil/domain/files'
import { canUpload } from '@postil/domain/permissions'
import { Id, Int, Shape, type Static } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import { later } from '../../lib/clock.ts'
import { OtherBytes } from '../../storage/pieces.ts'
import { write } from '../../storage/write.ts'
import { appendBytes } from './append.ts'
import { readFileRange } from './read.ts'
import { checkUpload, countFilesOf, deleteFile, findFile, findLockedFile, insertFile, setReceived, toUpload } from './store.ts'

const DAY_SECONDS = 86_400

/** Expiry time of a file that changes now. */
export const toExpiry = ({ config }: Pick<RequestContext, 'config'>, now: string) => later(now, config.filesDays * DAY_SECONDS)

export function createUpload(ctx: RequestContext, { name, size }: UploadCreate): Promise<Upload> {
  allow(canUpload(ctx.actor))
  checkFileName(name)
  const { uploadBytesMax } = ctx.config
  if (size > uploadBytesMax) {
    throw invalid(`The file has ${size} bytes; expected at most ${uploadBytesMax} (SERVICE_UPLOAD_BYTES_MAX)`, ['size'])
  }
  return write(ctx, async tx => {
    const { uploads, bytes } = await countFilesOf(tx, ctx.actor.id)
    if (uploads >= UPLOADS_MAX) throw conflict(`You have ${uploads} uploads; expected at most ${UPLOADS_MAX}. Delete one first`)
    const bytesMax = Math.max(FILES_BYTES_MAX, uploadBytesMax)
    if (bytes + size > bytesMax) {
      throw conflict(`Your files would have ${bytes + size} bytes together; expected at most ${bytesMax}. Delete an upload first`)
    }
    const now = ctx.now()
    const row = {
      id: ctx.newId(),
      kind: 'upload' as const,
      name,
      user_id: ctx.actor.id,
      dataset_id: null,
      job_id: null,
      media_type: 'application/octet-stream',
      size,
      received: 0,
      expires_at: toExpiry(ctx, now),
      inserted_at: now,
      updated_at: now,
    }
    await insertFile(tx, row)
    return toUpload(row)
  })
}

export async function getUpload(ctx: RequestContext, id: Id): Promise<Upload> {
  allow(canUpload(ctx.actor))
  return toUpload(checkUpload(await findFile(ctx.db, id), id, ctx.actor.id))
}

const Received = Shape({ upload_id: Id, offset: Int(), length: Int() })
type Received = Static<typeof Received>

/** Internal route with which the writer completes a call of `putUploadContent`. It is not part of the API. */
export const recordContent = route({
  id: 'recordContent',
  method: 'PUT',
  path: '/inner/upload-content',
  tag: 'files',
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: '',
  body: Received,
})

/** Stores the bytes. They count as received once the writer has recorded them. */
export async function putUploadContent(
  ctx: RequestContext,
  id: Id,
  { offset, bytes }: { offset: number; bytes: Uint8Array },
): Promise<Upload | OnWriter<typeof recordContent>> {
  allow(canUpload(ctx.actor))
  const upload = checkUpload(await findFile(ctx.db, id), id, ctx.actor.id)
  const { received, size } = upload
  if (bytes.length === 0) throw invalid('The body is empty; expected bytes of the file', ['body'])
  const end = offset + bytes.length
  if (end > size) throw invalid(`The file would have ${end} bytes; it was declared with ${size}`, ['query', 'offset'])
  if (offset !== received) {
    // A retry after the first response was lost.
    if (end <= received && Buffer.compare(await readFileRange(ctx, id, { start: offset, end }), bytes) === 0)
      return toUpload(upload)
    throw offsetConflict(offset, received)
  }
  try {
    await appendBytes(ctx, { fileId: id, received, bytes, isRedone: false })
  } catch (error) {
    if (!(error instanceof OtherBytes)) throw error
    throw conflict(
      `Other bytes were sent for offset=${offset} before. Send the same bytes again, or delete the upload and begin anew`,
    )
  }
  return new OnWriter(recordContent, { upload_id: id, offset, length: bytes.length })
}

const offsetConflict = (offset: number, received: number) =>
  conflict(`The content begins at ${offset}; expected offset=${received}, because the server has received ${received} bytes`)

export function recordUploadContent(ctx: RequestContext, { upload_id, offset, length }: Received): Promise<Upload> {
  return write(ctx, async tx => {
    const upload = checkUpload(await findLockedFile(tx, upload_id), upload_id, ctx.actor.id)
    const received = offset + length
    // A concurrent call has already recorded the same bytes.
    if (upload.received >= received) return toUpload(upload)
    if (upload.received !== offset) throw offsetConflict(offset, upload.received)
    const now = ctx.now()
    const changed = { received, expires_at: toExpiry(ctx, now) }
    await setReceived(tx, upload_id, { ...changed, now })
    return toUpload({ ...upload, ...changed })
  })
}

export function deleteUpload(ctx: RequestContext, id: Id): Promise<Upload> {
  allow(canUpload(ctx.actor))
  return write(ctx, async tx => {
    const upload = checkUpload(await findLockedFile(tx, id), id, ctx.actor.id)
    // The pieces are deleted in the background (jobs/prune-files.ts).
    await deleteFile(tx, id)
    return toUpload(upload)
  })
}
