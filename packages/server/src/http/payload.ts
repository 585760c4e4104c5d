/** Converts a reply into a Fastify payload. */
import { Readable } from 'node:stream'
import type { Reply } from './call.ts'

export const toPayload = (reply: Reply): Readable | Buffer | undefined =>
  reply.rest ? Readable.from(partsOf(reply)) : reply.body ? toBuffer(reply.body) : undefined

async function* partsOf({ body, rest }: Reply) {
  if (body) yield toBuffer(body)
  if (rest) yield toBuffer(await rest)
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
