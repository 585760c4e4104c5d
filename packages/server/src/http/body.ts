import type { IncomingMessage } from 'node:http'
import { DomainError } from '@postil/domain/errors'

/**
 * The whole body in one buffer of its own, so that it can be handed to another thread without a copy. It is refused as soon
 * as it is known to exceed the limit; what still comes is not kept.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) reject(tooLarge(limit))
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        chunks.length = 0
        reject(tooLarge(limit))
      }
    })
    request.on('end', () => resolve(length === 0 ? null : joined(chunks, length)))
    // Nobody reads the answer to a request that broke off.
    request.on('error', () => reject(new DomainError('unprocessable', 'The connection ended before the body did')))
  })
}

/** How long a sender that was refused may go on sending, so that it gets to read why. */
const LINGER_MS = 1_000

/**
 * Lets the connection of a request whose body was refused unread end when the rest has come, or after a moment. Node ends it
 * right after the answer, and a sender that is still sending would then see a broken connection instead of the answer.
 */
export function endLingering(request: IncomingMessage): void {
  const { socket } = request
  const end = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    if (request.complete) return end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    request.once('end', end)
    socket.once('close', () => clearTimeout(timer))
  }
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
