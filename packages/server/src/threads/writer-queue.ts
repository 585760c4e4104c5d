/**
 * Order of writes on SQLite (on PostgreSQL: parallel-queue.ts). Responses of users go before bulk writes. Responses that wait
 * together share one commit, so that they need only one disk sync, and they are answered after it. Bulk writes and background
 * work take turns with them (turns.ts), even under sustained load.
 */
import type { Context } from '../context.ts'
import { type DeferredData, storeDeferred } from '../events/subscribers/all.ts'
import type { ExchangeInput, ExchangeResult } from '../features/webhooks/exchange.ts'
import type { Call, Reply } from '../http/call.ts'
import { toErrorReply } from '../http/errors.ts'
import type { RunCall } from '../http/run-call.ts'
import type { HubInput, HubOutput } from '../jobs/hub-exchange.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { createBackground } from './background.ts'
import { createTurns, type Work } from './turns.ts'

export interface QueuedCall {
  id: number
  urgent: boolean
  call: Call
}

/** Enough calls to fill a commit, and few enough that the first does not wait long for the last. */
const GROUP_MAX = 64

/** Polling interval for jobs that became due: retries, or rows left by an earlier process. */
const JOBS_LOOK_MS = 1_000

export interface WriterQueue {
  push(waiting: QueuedCall): void
  /** Called when jobs may be due. */
  wake(): void
  /** Stores merged text segments when it is their turn; resolves with false if the source segments no longer exist. */
  replace(merge: TextMerge): Promise<boolean>
  /** Stores the outcomes of webhook deliveries when it is their turn, and returns the next ones to send. */
  exchange(input: ExchangeInput): Promise<ExchangeResult>
  /** Stores the outcome of a hub job when it is its turn, or claims the next one. */
  runHub(input: HubInput): Promise<HubOutput>
  /** Resolves when nothing waits or runs; jobs stay queued for the next start. */
  drained(): Promise<void>
}

export function openWriterQueue(ctx: Context, runCall: RunCall, reply: SendReply): WriterQueue {
  const calls = { urgent: [] as QueuedCall[], bulk: [] as QueuedCall[] }
  const background = createBackground(ctx)
  const turns = createTurns()
  let closing: (() => void) | null = null

  /** Runs one turn of each kind; returns false if there was nothing to do. */
  const turnOf: Record<Work, () => Promise<boolean>> = {
    urgent: async () => {
      await runGroup(ctx, runCall, calls.urgent.splice(0, GROUP_MAX), reply)
      return true
    },
    bulk: async () => {
      const next = calls.bulk.shift()
      if (next) reply(next.id, await runCall(ctx, next.call))
      return true
    },
    background: () => (closing ? background.stepAwaited() : background.step()),
  }

  async function step(): Promise<'again' | 'idle'> {
    const waiting = (['urgent', 'bulk'] as const).filter(kind => calls[kind].length > 0)
    const kind = turns.next(waiting)
    const isDone = await turns.run(kind, turnOf[kind])
    return isDone || waiting.length > 0 ? 'again' : 'idle'
  }

  const run = createLoop(ctx, step, () => closing?.())
  const timer = setInterval(() => void run(), JOBS_LOOK_MS)
  setImmediate(() => void run())

  return {
    push: waiting => {
      calls[waiting.urgent ? 'urgent' : 'bulk'].push(waiting)
      setImmediate(() => void run())
    },
    wake: () => void run(),
    replace: merge => {
      setImmediate(() => void run())
      return background.replace(merge)
    },
    exchange: input => {
      setImmediate(() => void run())
      return background.exchange(input)
    },
    runHub: input => {
      setImmediate(() => void run())
      return background.runHub(input)
    },
    drained: () =>
      new Promise(resolve => {
        clearInterval(timer)
        closing = resolve
        void run()
      }),
  }
}

/** Returns a function that repeats `step` until there is nothing to do. No-op while it is already running. */
function createLoop(ctx: Context, step: () => Promise<'again' | 'idle'>, onIdle: () => void): () => Promise<void> {
  let running = false
  /** Must not reject: nothing awaits it, and an unhandled rejection ends the process. */
  const stepSafely = () =>
    step().catch((error: unknown) => {
      ctx.log.error({ err: error }, 'a step of the writer failed')
      return 'again' as const
    })
  return async () => {
    if (running) return
    running = true
    // setImmediate lets messages that arrived in the meantime enter the queues before the next step is chosen.
    while ((await stepSafely()) === 'again') await new Promise(setImmediate)
    running = false
    onIdle()
  }
}

type SendReply = (id: number, reply: Reply) => void

/**
 * Runs several calls in one commit and replies only after it. If the commit or a call fails, all are rolled back and each is run
 * again alone. None was answered before, so each reply reports the outcome of its own run.
 */
async function runGroup(ctx: Context, runCall: RunCall, group: readonly QueuedCall[], reply: SendReply): Promise<void> {
  const outcome = await tryGroup(ctx, runCall, group)
  if (outcome.kind !== 'undone' || group.length === 1) return sendReplies(ctx, outcome, group, reply)
  for (const [index, waiting] of group.entries()) {
    const alone = await tryGroup(ctx, runCall, [waiting])
    // This call has already waited for the lock. Waiting again for each of the others would take minutes.
    if (alone.kind === 'locked') return sendReplies(ctx, alone, group.slice(index), reply)
    sendReplies(ctx, alone, [waiting], reply)
  }
}

function sendReplies(ctx: Context, outcome: Outcome, group: readonly QueuedCall[], reply: SendReply): void {
  for (const [index, waiting] of group.entries()) {
    reply(waiting.id, outcome.kind === 'stored' ? (outcome.replies[index] as Reply) : outcome.toReply(waiting))
  }
  if (outcome.kind !== 'stored') return
  for (const work of outcome.afterCommit) {
    try {
      work()
    } catch (error) {
      ctx.log.error({ err: error }, 'a subscriber failed')
    }
  }
}

type Outcome =
  | { kind: 'stored'; replies: Reply[]; afterCommit: (() => void)[] }
  /** `locked` means that no call has started. */
  | { kind: 'undone' | 'locked'; toReply(waiting: QueuedCall): Reply }

/** Rolls back a call that was answered with a server error. */
class CallFailed extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super('a call of the group failed')
    this.reply = reply
  }
}

async function tryGroup(ctx: Context, runCall: RunCall, group: readonly QueuedCall[]): Promise<Outcome> {
  const afterCommit: (() => void)[] = []
  const deferred: DeferredData[] = []
  const groupCtx: Context = { ...ctx, deferred, afterCommit: work => void afterCommit.push(work) }
  let hasBegun = false
  try {
    const replies = await ctx.db.group(async check => {
      hasBegun = true
      const all: Reply[] = []
      for (const waiting of group) {
        const answered = await runCall(groupCtx, waiting.call)
        if (answered.status >= 500) throw new CallFailed(answered)
        check()
        all.push(answered)
      }
      await storeDeferred(ctx.db, deferred)
      return all
    })
    return { kind: 'stored', replies, afterCommit }
  } catch (error) {
    const toReply = ({ call }: QueuedCall) =>
      error instanceof CallFailed ? error.reply : toErrorReply(error, ctx.log, call.requestId)
    return { kind: hasBegun ? 'undone' : 'locked', toReply }
  }
}
