import type { IncomingMessage } from 'node:http'
import { DomainError } from '@postil/domain/errors'

/**
 * The whole body in one buffer of its own, so that it can be handed to another thread without a copy. Reads no further
 * than the limit.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > limit) throw tooLarge(limit)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  if (length === 0) return null
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body
}

const tooLarge = (limit: number) =>
  new DomainError(
    'too_large',
    `The body is larger than ${limit} bytes. Send fewer records per call, or raise SERVICE_BODY_LIMIT.`,
  )
