/** Streams a response with backpressure: the next part is requested when the connection has accepted the previous one. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { InnerCall, Reply } from './call.ts'
import { sendFile, toDisposition } from './send-file.ts'

interface Download {
  request: FastifyRequest
  reply: FastifyReply
  askPart(part: InnerCall): Promise<Reply>
}

/** Sends a stored file, or one that is generated while it is sent. */
export const sendDownload = (ctx: Context, answered: Reply, { request, reply, askPart }: Download) =>
  answered.file ? sendFile(ctx, answered.file, request, reply) : sendParts(ctx, answered, reply, askPart)

/** If a part fails, the connection is closed: the status is already sent, and a truncated file must not look complete. */
function sendParts(ctx: Context, first: Reply, reply: FastifyReply, askPart: Download['askPart']) {
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let part = first; ; ) {
      if (part.body && part.body.length > 0) yield part.body
      const next = part.part?.next
      if (!next) return
      part = await askPart(next)
      if (part.part === undefined) throw new Error(`A part of a file was answered with status ${part.status}`)
    }
  }
  reply.headers({
    'content-type': first.contentType ?? 'application/octet-stream',
    'content-disposition': toDisposition(first.part?.name ?? 'export'),
    // Its content never runs as a page of this server.
    'content-security-policy': 'sandbox',
  })
  const body = Readable.from(parts(), { objectMode: false, highWaterMark: 1 })
  body.on('error', error => ctx.log.error({ err: error }, 'an export was cut off'))
  return reply.code(first.status).send(body)
}
