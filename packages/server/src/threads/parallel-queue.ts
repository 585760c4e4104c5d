/**
 * Order of writes on PostgreSQL, where transactions run concurrently, each on its own connection. Responses of users go before
 * bulk writes, which never use all connections. Background work runs concurrently, one step at a time.
 */
import { setTimeout } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Reply } from '../http/call.ts'
import type { RunCall } from '../http/run-call.ts'
import { createBackground } from './background.ts'
import type { QueuedCall, WriterQueue } from './writer-queue.ts'

/** Polling interval for jobs that became due: retries, or rows left by another process. */
const JOBS_LOOK_MS = 1_000
/** Under load, background work pauses for this multiple of its last step's duration, and so gets a fifth of the time. */
const PAUSES = 4
const PAUSE_MS_MAX = 1_000

export interface ParallelOptions {
  /** Maximum concurrent calls; at least 1. */
  callsMax: number
  /** Maximum concurrent bulk writes, included in `callsMax`. */
  bulksMax: number
}

/** One connection is reserved for background work. */
export const toParallelOptions = (connections: number): ParallelOptions => {
  const callsMax = Math.max(1, connections - 1)
  return { callsMax, bulksMax: Math.max(1, Math.floor(callsMax / 2)) }
}

export function openParallelQueue(
  ctx: Context,
  runCall: RunCall,
  reply: (id: number, reply: Reply) => void,
  limits: ParallelOptions,
): WriterQueue {
  const background = createBackground(ctx)
  const calls = createCallQueue(limits, async ({ id, call }) => reply(id, await runCall(ctx, call)))
  let closing: (() => void) | null = null
  const loop = openBackgroundLoop(ctx, {
    step: () => (closing ? background.stepAwaited() : background.step()),
    isBusy: () => calls.hasWaiting,
    onIdle: () => endIfIdle(),
  })
  const endIfIdle = () => {
    if (closing && calls.isIdle && !loop.isRunning) closing()
  }
  calls.onIdle = endIfIdle
  const timer = setInterval(loop.wake, JOBS_LOOK_MS)
  loop.wake()
  const awaited = <T>(added: Promise<T>) => {
    loop.wake()
    return added
  }
  return {
    push: waiting => {
      calls.push(waiting)
      // The call may have queued a job.
      if (!waiting.urgent) loop.wake()
    },
    wake: loop.wake,
    replace: merge => awaited(background.replace(merge)),
    exchange: input => awaited(background.exchange(input)),
    runHub: input => awaited(background.runHub(input)),
    drained: async () => {
      clearInterval(timer)
      await new Promise<void>(resolve => {
        closing = resolve
        loop.wake()
      })
      await background.release().catch((error: unknown) => ctx.log.warn({ err: error }, 'jobs wait until their leases end'))
    },
  }
}

function createCallQueue({ callsMax, bulksMax }: ParallelOptions, run: (waiting: QueuedCall) => Promise<void>) {
  const waiting = { urgent: [] as QueuedCall[], bulk: [] as QueuedCall[] }
  const running = { urgent: 0, bulk: 0 }
  const kindOf = ({ urgent }: QueuedCall) => (urgent ? 'urgent' : 'bulk')
  const next = () => waiting.urgent.shift() ?? (running.bulk < bulksMax ? waiting.bulk.shift() : undefined)

  function startNext(): void {
    while (running.urgent + running.bulk < callsMax) {
      const call = next()
      if (!call) return
      running[kindOf(call)]++
      // `run` never rejects: every failure of a call is a reply.
      void run(call).finally(() => end(call))
    }
  }

  function end(call: QueuedCall): void {
    running[kindOf(call)]--
    startNext()
    if (queue.isIdle) queue.onIdle()
  }

  const queue = {
    onIdle: () => {},
    get hasWaiting() {
      return waiting.urgent.length + waiting.bulk.length > 0
    },
    get isIdle() {
      return running.urgent + running.bulk === 0 && !queue.hasWaiting
    },
    push: (call: QueuedCall) => {
      waiting[kindOf(call)].push(call)
      startNext()
    },
  }
  return queue
}

interface LoopParts {
  step(): Promise<boolean>
  /** True if calls are waiting. */
  isBusy(): boolean
  onIdle(): void
}

/** Repeats `step` until there is nothing to do, and again after `wake`. */
function openBackgroundLoop(ctx: Context, { step, isBusy, onIdle }: LoopParts) {
  let isRunning = false
  let isWoken = false
  /** Must not reject: nothing awaits it, and an unhandled rejection ends the process. */
  const stepSafely = () =>
    step().catch((error: unknown) => {
      ctx.log.error({ err: error }, 'a step of the writer failed')
      return false
    })
  async function run(): Promise<void> {
    isRunning = true
    do {
      isWoken = false
      const started = performance.now()
      const isDone = await stepSafely()
      const ms = performance.now() - started
      await (isBusy() ? setTimeout(Math.min(PAUSE_MS_MAX, PAUSES * ms)) : new Promise(setImmediate))
      isWoken ||= isDone
    } while (isWoken)
    isRunning = false
    onIdle()
  }
  return {
    get isRunning() {
      return isRunning
    },
    wake: () => {
      isWoken = true
      if (!isRunning) void run()
    },
  }
}
