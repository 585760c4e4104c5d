/**
 * Hashes passwords in a dedicated thread, so that argon2 blocks neither writes nor the small thread pool with which Node reads
 * files.
 *
 * Hashes one password at a time, from a short queue. Sources take turns, so that a request does not wait for all the guesses from
 * one address.
 */
import { Worker } from 'node:worker_threads'
import { DomainError, TooManyAttempts } from '@postil/domain/errors'
import type { HashSource, Passwords } from '../lib/password.ts'
import { createFairQueue } from './fair-queue.ts'

export type HashTask = { kind: 'hash'; password: string } | { kind: 'check'; password: string; passwordHash: string | null }

export type HashResult = { kind: 'done'; value: string | boolean } | { kind: 'failed'; message: string }

/** Queue limits. A hash takes about 30 ms, so that a full queue of strangers is processed within one to two seconds. */
const STRANGERS_MAX = 32
const STRANGER_SOURCE_MAX = 16
const KNOWN_SOURCE_MAX = 64
const WAITING_MAX = 128
const RETRY_AFTER_SECONDS = 2

interface WaitingTask {
  task: HashTask
  by: HashSource
  resolve(value: string | boolean): void
  reject(error: Error): void
}

export interface Hasher extends Passwords {
  /** Starts the thread in advance; otherwise the first password starts it. */
  start(): void
  /** Ends the thread and rejects pending tasks. */
  close(): Promise<void>
}

/** `onFailure` is called when the thread dies, because sign-in is then impossible. */
export function openHasher(onFailure: (error: Error) => void, url = new URL('./hasher-worker.ts', import.meta.url)): Hasher {
  const queue = createTaskQueue()
  let worker: Worker | null = null
  let running: WaitingTask | null = null
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
  const settle = (done: HashResult) => {
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

  const run = (task: HashTask, by: HashSource) =>
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

/** Pending tasks: first in, first out within a source, and sources take turns. */
function createTaskQueue() {
  const queue = createFairQueue<WaitingTask>()
  let strangers = 0
  const isFull = ({ source, isKnown }: HashSource) => {
    if (queue.size >= WAITING_MAX || queue.sizeOf(source) >= (isKnown ? KNOWN_SOURCE_MAX : STRANGER_SOURCE_MAX)) return true
    return !isKnown && strangers >= STRANGERS_MAX
  }
  return {
    /** Throws if the queue is full. */
    add: (waiting: WaitingTask) => {
      if (isFull(waiting.by)) throw new TooManyAttempts(RETRY_AFTER_SECONDS, 'Too many passwords are being checked.')
      queue.push(waiting.by.source, waiting)
      if (!waiting.by.isKnown) strangers++
    },
    take: (): WaitingTask | null => {
      const waiting = queue.take() ?? null
      if (waiting && !waiting.by.isKnown) strangers--
      return waiting
    },
  }
}
