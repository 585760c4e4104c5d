/**
 * The order of writes on PostgreSQL, where many transactions run at the same time, each on a connection of its own. A person's response goes
 * before programs' bulks, which never take all connections. Background work runs beside them, one piece at a time.
 */
import { setTimeout } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { Reply } from '../http/call.ts'
import type { RunCall } from '../http/run-call.ts'
import { openBackground } from './background.ts'
import type { Waiting, WriterQueue } from './writer-queue.ts'

/** How often jobs that became due (retries, or rows left by another process) are looked for. */
const JOBS_LOOK_MS = 1_000
/** Under load, background work pauses this many times as long as its last piece took: it gets a fifth of the time. */
const PAUSES = 4
const PAUSE_MS_MAX = 1_000

export interface ParallelOptions {
  /** Calls that run at the same time; at least 1. */
  callsMax: number
  /** Of these, at most so many bulks. */
  bulksMax: number
}

/** One connection is for background work. */
export const toParallel = (connections: number): ParallelOptions => {
  const callsMax = Math.max(1, connections - 1)
  return { callsMax, bulksMax: Math.max(1, Math.floor(callsMax / 2)) }
}

export function openParallelQueue(
  ctx: Context,
  runCall: RunCall,
  reply: (id: number, reply: Reply) => void,
  limits: ParallelOptions,
): WriterQueue {
  const background = openBackground(ctx)
  const calls = openCalls(limits, async ({ id, call }) => reply(id, await runCall(ctx, call)))
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
      // A call may have made a job.
      if (!waiting.urgent) loop.wake()
    },
    wake: loop.wake,
    replace: merge => awaited(background.replace(merge)),
    exchange: input => awaited(background.exchange(input)),
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

function openCalls({ callsMax, bulksMax }: ParallelOptions, run: (waiting: Waiting) => Promise<void>) {
  const waiting = { urgent: [] as Waiting[], bulk: [] as Waiting[] }
  const running = { urgent: 0, bulk: 0 }
  const kindOf = ({ urgent }: Waiting) => (urgent ? 'urgent' : 'bulk')
  const next = () => waiting.urgent.shift() ?? (running.bulk < bulksMax ? waiting.bulk.shift() : undefined)

  function startNext(): void {
    while (running.urgent + running.bulk < callsMax) {
      const call = next()
      if (!call) return
      running[kindOf(call)]++
      // It does not reject: every failure of a call is a reply.
      void run(call).finally(() => end(call))
    }
  }

  function end(call: Waiting): void {
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
    push: (call: Waiting) => {
      waiting[kindOf(call)].push(call)
      startNext()
    },
  }
  return queue
}

interface LoopParts {
  step(): Promise<boolean>
  /** Whether calls wait for their turn. */
  isBusy(): boolean
  onIdle(): void
}

/** Repeats a step until there is nothing to do, and again when it is woken. */
function openBackgroundLoop(ctx: Context, { step, isBusy, onIdle }: LoopParts) {
  let isRunning = false
  let isWoken = false
  /** Must not reject: nobody waits for it, and an error that nobody handles ends the process. */
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
