/** The workers as the main thread sees them: which one gets a call, and what happens when there are too many. */
import { Worker } from 'node:worker_threads'
import type { Route } from '@postil/domain/api/route'
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Dispatch } from '../http/app.ts'
import type { Call, Reply } from '../http/call.ts'
import type { LiveSource } from '../http/event-stream.ts'
import type { RunCall } from '../http/run-call.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'

/** Past this many waiting calls, or bytes of bodies, new ones are refused: better a clear 503 than a dead process. */
const WAITING_CALLS_MAX = 2_000
const WAITING_BYTES_MAX = 512 * 1024 * 1024

interface Pending {
  resolve(reply: Reply): void
  reject(error: Error): void
  bytes: number
}

class Thread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly ready: Promise<void>
  #nextId = 1
  #bytes = 0

  constructor(start: WorkerStart, on: { failure: (error: Error) => void; live: (batch: LiveBatch) => void }) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: start,
      name: start.role,
      // Room for the short-lived objects of a bulk write, so that they die before they are moved.
      resourceLimits: { maxYoungGenerationSizeMb: start.role === 'writer' ? 64 : 32 },
    })
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === 'reply') this.#settle(message.id, message.reply)
        else if (message.kind === 'live') on.live(message.batch)
        else resolve()
      })
      this.#worker.on('error', error => {
        reject(error)
        this.#failAll(error as Error)
        on.failure(error as Error)
      })
    })
  }

  get waiting(): number {
    return this.#pending.size
  }

  call(call: Call, urgent: boolean): Promise<Reply> {
    if (this.#pending.size >= WAITING_CALLS_MAX || this.#bytes >= WAITING_BYTES_MAX) {
      throw new DomainError('unavailable', 'Too many requests are waiting. Try again in a moment.')
    }
    const id = this.#nextId++
    const bytes = call.body?.byteLength ?? 0
    this.#bytes += bytes
    const message: ToWorker = { kind: 'call', id, urgent, call }
    this.#worker.postMessage(message, call.body ? [call.body.buffer as ArrayBuffer] : [])
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, bytes }))
  }

  watch(datasetIds: Id[]): void {
    this.#worker.postMessage({ kind: 'watch', datasetIds } satisfies ToWorker)
  }

  async close(): Promise<void> {
    const exited = new Promise(resolve => this.#worker.once('exit', resolve))
    this.#worker.postMessage({ kind: 'close' } satisfies ToWorker)
    await exited
  }

  #settle(id: number, reply: Reply): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    this.#bytes -= pending.bytes
    pending.resolve(reply)
  }

  #failAll(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
    this.#bytes = 0
  }
}

export interface Pool {
  dispatch: Dispatch
  live: LiveSource
  ready: Promise<void>
  close(): Promise<void>
}

/** Starts the writer and the readers. `onFailure` is told when a thread dies: the process cannot go on without it. */
export function openPool(ctx: Context, runHere: RunCall, onFailure: (error: Error) => void): Pool {
  let onLive: (batch: LiveBatch) => void = () => {}
  const on = { failure: onFailure, live: (batch: LiveBatch) => onLive(batch) }
  const open = (role: WorkerStart['role']) => new Thread({ role, config: ctx.config, secrets: ctx.secrets }, on)
  const writer = open('writer')
  const readers = Array.from({ length: ctx.config.readerThreads }, () => open('reader'))
  const threads = [writer, ...readers]

  const dispatch = async (contract: Route, call: Call): Promise<Reply> => {
    // Without credentials there is nothing to do but to say so: that never waits behind others' work.
    if ((contract.runs === 'here' && !needsReader(contract, call)) || (contract.auth && !call.actor)) return runHere(ctx, call)
    if (contract.runs === 'writer') return writer.call(call, contract.urgent === true)
    return readerFor(readers, contract, call).call(call, false)
  }
  const live: LiveSource = {
    watch: datasetIds => writer.watch(datasetIds),
    listen: listener => {
      onLive = listener
    },
  }
  return {
    dispatch,
    live,
    ready: Promise.all(threads.map(thread => thread.ready)).then(() => undefined),
    close: async () => void (await Promise.all(threads.map(thread => thread.close()))),
  }
}

const needsReader = ({ readerWith }: Route, { search }: Call) =>
  readerWith !== undefined && new URLSearchParams(search).has(readerWith)

function readerFor(readers: Thread[], contract: Route, call: Call): Thread {
  const key = contract.affinity === undefined ? undefined : call.params[contract.affinity]
  if (key !== undefined) return readers[hash(key) % readers.length] as Thread
  return readers.reduce((least, reader) => (reader.waiting < least.waiting ? reader : least))
}

const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 0)
