import type { IncomingMessage } from 'node:http'
import { DomainError } from '@postil/domain/errors'

/**
 * The whole body in one buffer of its own, so that it can be handed to another thread without a copy. Reads no further
 * than the limit.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared > limit) throw tooLarge(limit)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else reject(tooLarge(limit))
    })
    request.on('end', () => resolve(length === 0 ? null : joined(chunks, length)))
    request.on('error', reject)
  })
}

function joined(chunks: readonly Buffer[], length: number): Uint8Array {
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
