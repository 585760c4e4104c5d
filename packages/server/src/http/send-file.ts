/** Sends a stored file, in full or the requested range. It is streamed from storage. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { streamFile } from '../features/files/read.ts'
import type { StoredFile } from '../lib/answer.ts'

export async function sendFile(ctx: Context, file: StoredFile, request: FastifyRequest, reply: FastifyReply) {
  const etag = `"${file.id}"`
  const { range, 'if-range': ifRange } = request.headers
  const wanted = range === undefined || (ifRange !== undefined && ifRange !== etag) ? null : readRange(range, file.size)
  reply.headers({
    'accept-ranges': 'bytes',
    'content-type': file.mediaType,
    'content-disposition': toDisposition(file.name),
    // Its content never runs as a page of this server.
    'content-security-policy': 'sandbox',
    etag,
  })
  if (wanted === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${file.size}`).header('content-length', '0').send()
  }
  const { start, end } = wanted ?? { start: 0, end: file.size }
  if (wanted !== null) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${file.size}`)
  reply.header('content-length', String(end - start))
  const body = Readable.from(streamFile(ctx, file.id, { start, end }), { objectMode: false, highWaterMark: 1 })
  body.on('error', error => ctx.log.error({ file_id: file.id, err: error }, 'a file could not be read'))
  return reply.send(body)
}

/** Parses a single range. Null if the header contains several or is invalid; the whole file is then sent. */
export function readRange(header: string, size: number): { start: number; end: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim())
  const [first = '', last = ''] = match?.slice(1) ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** Contains the name in ASCII and in its original form (RFC 6266). */
export function toDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
