/**
 * Server-sent events: connections that stay open and are told what happens in a dataset.
 *
 * The use case of a streaming route answers the state of things, which is sent first. When something changed it is asked
 * again, with the same credentials, at most once a second: so whoever lost their rights is sent away by the same rules as
 * everywhere. Nothing is kept for a reader that does not read.
 */
import { Readable } from 'node:stream'
import type { Route } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import { parseIds } from '@postil/domain/ids'
import type { Actor } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Call, Reply } from './call.ts'

/** Where batches come from: the thread that writes. */
export interface LiveSource {
  /** Says which datasets to tell of, all of them. */
  watch(datasetIds: Id[]): void
  listen(listener: (batch: LiveBatch) => void): void
}

export interface StreamRequest {
  contract: Route
  call: Call
  /** What the use case answered. */
  state: Reply
  /** The same credentials, looked at again. */
  authenticate(): Promise<{ actor: Actor | null; refusal: string | null }>
}

export interface EventStreams {
  /** Answers with a stream; throws when there are too many. */
  open(reply: FastifyReply, request: StreamRequest): FastifyReply
}

type Dispatch = (contract: Route, call: Call) => Promise<Reply>

const STREAMS_OF_USER_MAX = 6
const STREAMS_MAX = 200
/** The browser's pause before it connects again. */
const RETRY_MS = 3_000
/** Often enough that nothing in between takes the connection for dead. */
const HEARTBEAT_MS = 20_000
const REFRESH_MS = 1_000
/** A reader with this much unread is cut off: it connects again, and reads the state then. */
const UNREAD_BYTES_MAX = 64 * 1024

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies must not wait for more.
  'x-accel-buffering': 'no',
  // So that the server can stop: an answer that never ended before would leave the connection open for others.
  connection: 'close',
}

export function openEventStreams(app: FastifyInstance, dispatch: Dispatch, live: LiveSource): EventStreams {
  const streams = new Map<Id, Set<Stream>>()
  const all = () => [...streams.values()].flatMap(group => [...group])
  let isClosing = false

  const remove = (stream: Stream) => {
    const group = streams.get(stream.datasetId)
    if (!group?.delete(stream) || group.size > 0) return
    streams.delete(stream.datasetId)
    live.watch([...streams.keys()])
  }
  const add = (stream: Stream) => {
    const group = streams.get(stream.datasetId)
    if (group) return void group.add(stream)
    streams.set(stream.datasetId, new Set([stream]))
    live.watch([...streams.keys()])
  }

  live.listen(batch => tell(streams, batch))
  const heartbeat = setInterval(() => {
    for (const stream of all()) stream.beat()
  }, HEARTBEAT_MS).unref()
  app.addHook('preClose', async () => {
    isClosing = true
    clearInterval(heartbeat)
    for (const stream of all()) stream.end()
  })

  return {
    open: (reply, request) => {
      if (isClosing) throw new DomainError('unavailable', 'The server is stopping. Try again in a moment.')
      checkRoom(all(), request.call.actor)
      const stream = new Stream(dispatch, request, remove)
      add(stream)
      return reply.code(request.state.status).headers(HEADERS).send(stream.start())
    },
  }
}

function checkRoom(open: readonly Stream[], actor: Actor | null): void {
  if (open.length >= STREAMS_MAX) {
    throw new DomainError(
      'unavailable',
      `The server has ${STREAMS_MAX} event streams open, which is all it takes. Try again later.`,
    )
  }
  if (open.filter(stream => stream.userId === actor?.id).length >= STREAMS_OF_USER_MAX) {
    throw new DomainError('too_many_attempts', `You have ${STREAMS_OF_USER_MAX} event streams open. Close one first.`)
  }
}

function tell(streams: ReadonlyMap<Id, ReadonlySet<Stream>>, { changed, notices }: LiveBatch): void {
  for (const { name, dataset_id, user_id, data } of notices) {
    const text = JSON.stringify(data)
    for (const stream of streams.get(dataset_id) ?? []) {
      if (user_id !== null && user_id !== stream.userId) continue
      stream.send(name, text)
      if (name === 'dataset-deleted') stream.end()
    }
  }
  for (const id of changed) for (const stream of streams.get(id) ?? []) stream.refresh()
}

class Stream {
  readonly datasetId: Id
  readonly userId: Id
  readonly #out = new Readable({ read() {} })
  readonly #dispatch: Dispatch
  readonly #request: StreamRequest
  #state = ''
  #refreshedAt = performance.now()
  /** Set while a refresh waits or runs. */
  #timer: NodeJS.Timeout | null = null
  #isStale = false
  #hasEnded = false

  constructor(dispatch: Dispatch, request: StreamRequest, onClose: (stream: Stream) => void) {
    // The path may spell it otherwise than the database does.
    const [datasetId = ''] = parseIds(request.call.params.dataset_id ?? '')
    this.datasetId = datasetId
    this.userId = request.call.actor?.id ?? ''
    this.#dispatch = dispatch
    this.#request = request
    this.#out.on('close', () => {
      clearTimeout(this.#timer ?? undefined)
      onClose(this)
    })
  }

  start(): Readable {
    this.#out.push(`retry: ${RETRY_MS}\n\n`)
    this.#sendState(this.#request.state)
    // What happened while the first state was read, and before the writer knew of this stream, is seen by a second look.
    this.refresh()
    return this.#out
  }

  send(name: string, data: string): void {
    if (this.#isOver) return
    if (this.#out.readableLength > UNREAD_BYTES_MAX) this.#out.destroy()
    else this.#out.push(`event: ${name}\ndata: ${data}\n\n`)
  }

  /** Says that it lives, and looks whether the reader may still read. */
  beat(): void {
    if (this.#isOver) return
    this.#out.push(': \n\n')
    this.refresh()
  }

  end(): void {
    if (this.#isOver) return
    this.#hasEnded = true
    this.#out.push(null)
  }

  /** Soon, and not more than once a second. */
  refresh(): void {
    if (this.#isOver) return
    if (this.#timer !== null) {
      this.#isStale = true
      return
    }
    const waitMs = Math.max(0, this.#refreshedAt + REFRESH_MS - performance.now())
    this.#timer = setTimeout(() => void this.#look(), waitMs)
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#out.destroyed
  }

  async #look(): Promise<void> {
    this.#isStale = false
    this.#refreshedAt = performance.now()
    const { contract, call } = this.#request
    try {
      const { actor, refusal } = await this.#request.authenticate()
      const answered = await this.#dispatch(contract, { ...call, actor, refusal })
      if (answered.status === 200) this.#sendState(answered)
      else if (answered.status < 500) this.end()
      else this.#isStale = true
    } catch {
      // Too much to do just now: the next look may be luckier.
      this.#isStale = true
    }
    this.#timer = null
    if (this.#isStale) this.refresh()
  }

  #sendState({ body }: Reply): void {
    const text = new TextDecoder().decode(body ?? undefined)
    if (text === this.#state) return
    this.#state = text
    this.send('progress', text)
  }
}
