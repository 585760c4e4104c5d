/**
 * Passwords, hashed in a thread of their own: argon2 never holds up writes, nor the few threads with which Node reads files.
 *
 * One at a time, from a short queue. Sources take turns, so that nobody waits behind all the guesses of one address.
 */
import { Worker } from 'node:worker_threads'
import { DomainError, TooManyAttempts } from '@postil/domain/errors'
import type { HashedFor, Passwords } from '../lib/password.ts'
import { openFairQueue } from './fair-queue.ts'

export type HashTask = { kind: 'hash'; password: string } | { kind: 'check'; password: string; passwordHash: string | null }

export type HashTaskDone = { kind: 'done'; value: string | boolean } | { kind: 'failed'; message: string }

/** At some 30 ms each the queue is empty after a second or two. */
const STRANGERS_MAX = 32
const STRANGER_SOURCE_MAX = 16
const KNOWN_SOURCE_MAX = 64
const WAITING_MAX = 128
const RETRY_AFTER_SECONDS = 2

interface Waiting {
  task: HashTask
  by: HashedFor
  resolve(value: string | boolean): void
  reject(error: Error): void
}

export interface Hasher extends Passwords {
  /** Starts the thread. Otherwise the first password does. */
  start(): void
  /** Ends the thread. What still waits is refused. */
  close(): Promise<void>
}

/** `onFailure` is told when the thread dies: nobody could sign in any more. */
export function openHasher(onFailure: (error: Error) => void, url = new URL('./hasher-worker.ts', import.meta.url)): Hasher {
  const queue = openTurns()
  let worker: Worker | null = null
  let running: Waiting | null = null
  let ended: Error | null = null

  const next = () => {
    running = queue.take()
    if (running) start().postMessage(running.task)
  }
  const end = (error: Error) => {
    ended ??= error
    running?.reject(error)
    for (let waiting = queue.take(); waiting; waiting = queue.take()) waiting.reject(error)
    running = null
  }
  const settle = (done: HashTaskDone) => {
    if (done.kind === 'done') running?.resolve(done.value)
    else running?.reject(new Error(`hashing a password failed: ${done.message}`))
    next()
  }
  const fail = (error: Error) => {
    if (ended) return
    end(error)
    onFailure(error)
  }
  const start = (): Worker => {
    worker ??= new Worker(url, { name: 'hasher' })
      .on('message', settle)
      .on('error', error => fail(error as Error))
      .on('exit', code => fail(new Error(`the thread that hashes passwords ended with code ${code}`)))
    return worker
  }

  const run = (task: HashTask, by: HashedFor) =>
    new Promise<string | boolean>((resolve, reject) => {
      if (ended) throw ended
      queue.add({ task, by, resolve, reject })
      if (!running) next()
    })
  return {
    start: () => void start(),
    hash: async (password, by) => String(await run({ kind: 'hash', password }, by)),
    fits: async (passwordHash, password, by) => (await run({ kind: 'check', passwordHash, password }, by)) === true,
    close: async () => {
      end(new DomainError('unavailable', 'The server is stopping. Try again in a moment.'))
      await worker?.terminate()
    },
  }
}

/** What waits: first in, first out for each source, and each source in turn. */
function openTurns() {
  const queue = openFairQueue<Waiting>()
  let strangers = 0
  const isFull = ({ source, isKnown }: HashedFor) => {
    if (queue.size >= WAITING_MAX || queue.sizeOf(source) >= (isKnown ? KNOWN_SOURCE_MAX : STRANGER_SOURCE_MAX)) return true
    return !isKnown && strangers >= STRANGERS_MAX
  }
  return {
    /** Throws when the queue is full. */
    add: (waiting: Waiting) => {
      if (isFull(waiting.by)) throw new TooManyAttempts(RETRY_AFTER_SECONDS, 'Too many passwords are being checked.')
      queue.push(waiting.by.source, waiting)
      if (!waiting.by.isKnown) strangers++
    },
    take: (): Waiting | null => {
      const waiting = queue.take() ?? null
      if (waiting && !waiting.by.isKnown) strangers--
      return waiting
    },
  }
}
