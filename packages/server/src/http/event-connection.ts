/** One open connection of server-sent events. Nothing is buffered for a reader that does not read. */
import { Readable } from 'node:stream'
import type { Actor } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Call, Reply } from './call.ts'

export interface StreamRequest {
  call: Call
  /** Reply of the use case. */
  state: Reply
  /** Checks the same credentials again. */
  authenticate(): Promise<{ actor: Actor | null; refusal: string | null }>
}

/** Delay before the browser reconnects. */
const RETRY_MS = 3_000
/** Limit of unread data, after which the reader is disconnected. It reconnects and then reads the current state. */
const UNREAD_BYTES_MAX = 64 * 1024

export class EventConnection {
  readonly userId: Id
  readonly call: Call
  readonly #out = new Readable({ read() {} })
  readonly #request: StreamRequest
  #state = ''
  #hasEnded = false

  constructor(request: StreamRequest, onClose: (connection: EventConnection) => void) {
    this.userId = request.call.actor?.id ?? ''
    this.call = request.call
    this.#request = request
    this.#out.on('close', () => onClose(this))
  }

  start(): Readable {
    this.#out.push(`retry: ${RETRY_MS}\n\n`)
    this.sendState(new TextDecoder().decode(this.#request.state.body ?? undefined))
    return this.#out
  }

  /** Returns the current actor of the connection, or null if the credentials are no longer accepted or belong to another user. */
  async findActor(): Promise<Actor | null> {
    const { actor } = await this.#request.authenticate()
    return actor?.id === this.userId ? actor : null
  }

  send(name: string, data: string): void {
    if (this.isOver) return
    if (this.#out.readableLength > UNREAD_BYTES_MAX) this.#out.destroy()
    else this.#out.push(`event: ${name}\ndata: ${data}\n\n`)
  }

  /** Sends progress if it has changed since the last time. */
  sendState(text: string): void {
    if (text === this.#state) return
    this.#state = text
    this.send('progress', text)
  }

  /** Sends a heartbeat. Destroys a connection that has ended but was not read to its end. */
  beat(): void {
    if (this.#hasEnded) this.#out.destroy()
    else if (!this.isOver) this.#out.push(': \n\n')
  }

  end(): void {
    if (this.isOver) return
    this.#hasEnded = true
    this.#out.push(null)
  }

  get isOver(): boolean {
    return this.#hasEnded || this.#out.destroyed
  }
}
