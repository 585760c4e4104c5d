import type { IncomingMessage } from 'node:http'
import { BODY_BYTES_MAX, type Route } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import type { BodyAccount } from './body-budget.ts'

/** Largest body of a request without valid credentials. */
const ANONYMOUS_BODY_MAX = 65_536

export interface BodyLimit {
  bytes: number
  /** Part of the error message: which limit applies, and what the sender can do. */
  advice: string
}

type BodyContract = Pick<Route, 'auth' | 'bodyBytesMax' | 'largeBody'>

/** Returns the smallest of the server's limit, the route's limit, and the limit for unauthenticated requests. */
export function bodyLimitOf(
  contract: BodyContract,
  { isKnown, serverBytes }: { isKnown: boolean; serverBytes: number },
): BodyLimit {
  const routeBytes = contract.largeBody ? serverBytes : (contract.bodyBytesMax ?? BODY_BYTES_MAX)
  if (contract.auth && !isKnown && ANONYMOUS_BODY_MAX < Math.min(routeBytes, serverBytes)) {
    return { bytes: ANONYMOUS_BODY_MAX, advice: 'the limit for requests without valid credentials.' }
  }
  if (routeBytes < serverBytes) return { bytes: routeBytes, advice: 'the limit of this route.' }
  const fewer = contract.largeBody ? 'Send fewer records per call, or raise' : 'Send less, or raise'
  return { bytes: serverBytes, advice: `the limit of this server. ${fewer} SERVICE_BODY_LIMIT.` }
}

/** True for bodies that use the budget for large bodies. */
export const isLargeBody = ({ largeBody, bodyType }: Pick<Route, 'largeBody' | 'bodyType'>) =>
  largeBody === true || bodyType === 'bytes'

const refused = new WeakSet<IncomingMessage>()

/** True if the body was refused before all of it was read: the connection cannot be reused. */
export const isBodyRefused = (request: IncomingMessage) => refused.has(request)

/**
 * Reads the whole body into its own buffer, so that it can be transferred to another thread without a copy. The body is refused
 * as soon as it is known to exceed the limit or the budget; the remaining bytes are discarded.
 */
export function readBody(request: IncomingMessage, limit: BodyLimit, account: BodyAccount): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const { 'content-length': declared } = request.headers
    const body = new BodyBuffer(declared === undefined ? limit.bytes : Math.min(Number(declared), limit.bytes), account)
    const refuse = (error: Error) => {
      if (refused.has(request)) return
      refused.add(request)
      endLingering(request)
      body.clear()
      reject(error)
    }
    const breakOff = () => reject(new DomainError('unprocessable', 'The connection ended before the body did'))
    // The connection may have closed during the credentials lookup.
    if (request.closed && !request.readableEnded) return breakOff()
    if (Number(declared ?? 0) > limit.bytes) refuse(tooLarge(limit))
    account.onEvicted = refuse
    request.on('data', (chunk: Buffer) => {
      if (refused.has(request)) return
      if (body.length + chunk.length > limit.bytes) return refuse(tooLarge(limit))
      try {
        body.add(chunk)
      } catch (error) {
        refuse(error as Error)
      }
    })
    request.on('end', () => {
      account.finish()
      resolve(body.take())
    })
    request.on('error', breakOff)
    request.on('close', () => {
      // Checked first because every request emits this event and creating an error is expensive.
      if (!request.readableEnded) breakOff()
    })
  })
}

/** Initial buffer size for a body of unknown length. */
const FIRST_BYTES = 16_384

/**
 * Collects a body. The buffer grows with the received bytes to at most twice their size, so that a large declared length alone
 * takes no memory. If the length was declared, the final buffer has exactly that length and is not copied again.
 */
class BodyBuffer {
  readonly #lengthMax: number
  readonly #account: BodyAccount
  #bytes = new Uint8Array(0)
  #length = 0

  constructor(lengthMax: number, account: BodyAccount) {
    this.#lengthMax = lengthMax
    this.#account = account
  }

  get length(): number {
    return this.#length
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#bytes.length) {
      const wanted = Math.max(length, 2 * this.#bytes.length, FIRST_BYTES)
      const size = Math.max(length, Math.min(wanted, this.#lengthMax))
      this.#account.take(size - this.#bytes.length)
      this.#resize(size)
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = length
  }

  take(): Uint8Array | null {
    if (this.#length === 0) return null
    if (this.#length < this.#bytes.length) this.#resize(this.#length)
    return this.#bytes
  }

  clear(): void {
    this.#resize(0)
    this.#length = 0
    this.#account.release()
  }

  /** Frees the old buffer immediately. If left to garbage collection, old buffers would take as much memory as the bodies. */
  #resize(size: number): void {
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size))
  }
}

/** How long a refused sender may continue to send, so that it can read the response. */
const LINGER_MS = 1_000

/**
 * Closes the connection of a refused body when the rest has arrived, or after `LINGER_MS`. Node closes it right after the
 * response, and a client that is still sending would see a broken connection instead of the response.
 */
function endLingering(request: IncomingMessage): void {
  const { socket } = request
  const end = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    if (request.complete) return end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    request.once('end', end)
    socket.once('close', () => clearTimeout(timer))
  }
}

const tooLarge = ({ bytes, advice }: BodyLimit) =>
  new DomainError('too_large', `The body is larger than ${bytes} bytes, ${advice}`)
