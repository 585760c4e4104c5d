/** The main thread's side of one worker thread: pending requests, and handling of its death. */
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { DomainError } from '@postil/domain/errors'
import type { LiveBatch } from '../events/subscribers/live.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Failure, FromWorker, Role, ToWorker, WorkerRequest, WorkerResponse, WorkerStart } from './messages.ts'

/** Error for a thread that has ended unexpectedly. */
export class ThreadDied extends OperatorError {
  override readonly name = 'ThreadDied'
  readonly role: Role

  constructor(role: Role, cause: Error) {
    super(`The ${role} thread ended unexpectedly: ${cause.message}`, { cause })
    this.role = role
  }
}

interface Pending {
  resolve(answer: WorkerResponse): void
  reject(error: Error): void
}

export interface ThreadEvents {
  died(error: ThreadDied): void
  live?(batch: LiveBatch): void
  webhookEvents?(): void
}

/** How long a thread may take to close before it is terminated. */
const CLOSE_MS = 30_000

const HEAPS: { [R in Role]?: ResourceLimits } = {
  // Large enough for the short-lived objects of a bulk write, so that they are collected before they are promoted.
  writer: { maxYoungGenerationSizeMb: 48 },
  // Likewise for the objects that it parses and prepares.
  checker: { maxYoungGenerationSizeMb: 48 },
  // The bytes of segments are outside the heap.
  merger: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 },
  // A file that decodes to more than this ends the thread instead of the process.
  hub: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 1024 },
}

export class Thread {
  readonly ready: Promise<void>
  readonly #role: Role
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #pending = new Map<number, Pending>()
  #nextId = 1
  #isClosing = false
  #death: ThreadDied | null = null

  constructor(start: WorkerStart, on: ThreadEvents) {
    this.#role = start.role
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: start,
      name: start.role,
      resourceLimits: HEAPS[start.role] ?? { maxYoungGenerationSizeMb: 16 },
    })
    const ready = Promise.withResolvers<void>()
    const die = (cause: Error) => {
      if (this.#death !== null || this.#isClosing) return
      this.#death = new ThreadDied(start.role, cause)
      ready.reject(this.#death)
      on.died(this.#death)
    }
    this.#worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'live') on.live?.(message.batch)
      else if (message.kind === 'webhook-events') on.webhookEvents?.()
      else this.#settle(message)
    })
    this.#worker.on('error', error => die(error as Error))
    this.#exited = new Promise(resolve => {
      this.#worker.once('exit', code => {
        die(new Error(`exit code ${code}`))
        // Pending requests are never answered after the exit, even if the thread was asked to close.
        this.#refuseAll()
        resolve()
      })
    })
    this.ready = ready.promise
    // Awaiting `ready` is optional, so a failure must not cause an unhandled rejection.
    this.ready.catch(() => {})
  }

  ask(request: WorkerRequest, transfer: readonly ArrayBuffer[] = []): Promise<WorkerResponse> {
    return new Promise((resolve, reject) => {
      if (this.#death !== null || this.#isClosing) return reject(ended(this.#role))
      const id = this.#nextId++
      this.#pending.set(id, { resolve, reject })
      this.#worker.postMessage({ ...request, id } satisfies ToWorker, transfer)
    })
  }

  tell(message: Extract<ToWorker, { kind: 'watch' | 'wake' }>): void {
    this.#worker.postMessage(message)
  }

  /**
   * Lets the thread finish pending requests. Returns after at most `CLOSE_MS` if the thread does not finish, and immediately if
   * it is dead.
   */
  async close(): Promise<void> {
    this.#worker.postMessage({ kind: 'close' } satisfies ToWorker)
    const timer = setTimeout(() => void this.#worker.terminate(), CLOSE_MS)
    this.#isClosing = this.#death === null
    await this.#exited
    clearTimeout(timer)
  }

  #settle(answer: WorkerResponse | Failure): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (answer.kind === 'failed') pending?.reject(toError(this.#role, answer))
    else pending?.resolve(answer)
  }

  #refuseAll(): void {
    for (const { reject } of this.#pending.values()) reject(ended(this.#role))
    this.#pending.clear()
  }
}

const toError = (role: Role, { message, code }: Failure) =>
  Object.assign(new Error(`The ${role} thread failed: ${message}`), code !== undefined && { code })

const ended = (role: Role) =>
  new DomainError('unavailable', `The server stops: its ${role} thread has ended. Try again in a moment.`)
