/**
 * The order of writes on SQLite (parallel-queue.ts: on PostgreSQL). A person's response goes before programs' bulks, and responses that wait together share one
 * commit: the disk is asked once for all of them, and none is answered before it said yes. Bulks and background work have
 * their turns between them (turns.ts), also under sustained load.
 */
import type { Context } from '../context.ts'
import { type Left, storeLeft } from '../events/subscribers/all.ts'
import type { Exchanged, ExchangeInput } from '../features/webhooks/exchange.ts'
import type { Call, Reply } from '../http/call.ts'
import { toErrorReply } from '../http/errors.ts'
import type { RunCall } from '../http/run-call.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { openBackground } from './background.ts'
import { openTurns, type Work } from './turns.ts'

export interface Waiting {
  id: number
  urgent: boolean
  call: Call
}

/** Enough to fill a commit, few enough that the first does not wait long for the last. */
const GROUP_MAX = 64

/** How often jobs that became due (retries, or rows left by an earlier process) are looked for. */
const JOBS_LOOK_MS = 1_000

export interface WriterQueue {
  push(waiting: Waiting): void
  /** Jobs may be due. */
  wake(): void
  /** Stores merged text segments when it is their turn; false if the ones that they were merged from are not there any more. */
  replace(merge: TextMerge): Promise<boolean>
  /** Stores what deliveries to webhooks came to when it is their turn, and answers what to send next. */
  exchange(input: ExchangeInput): Promise<Exchanged>
  /** Resolves when nothing waits and nothing runs; jobs stay for the next start. */
  drained(): Promise<void>
}

export function openWriterQueue(ctx: Context, runCall: RunCall, reply: Answer): WriterQueue {
  const calls = { urgent: [] as Waiting[], bulk: [] as Waiting[] }
  const background = openBackground(ctx)
  const turns = openTurns()
  let closing: (() => void) | null = null

  /** One turn of each kind; false when there was nothing to do. */
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

  const run = openLoop(ctx, step, () => closing?.())
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
    drained: () =>
      new Promise(resolve => {
        clearInterval(timer)
        closing = resolve
        void run()
      }),
  }
}

/** Answers a function that repeats a step until there is nothing to do, unless that is going on already. */
function openLoop(ctx: Context, step: () => Promise<'again' | 'idle'>, onIdle: () => void): () => Promise<void> {
  let running = false
  /** Must not reject: nobody waits for it, and an error that nobody handles ends the process. */
  const stepSafely = () =>
    step().catch((error: unknown) => {
      ctx.log.error({ err: error }, 'a step of the writer failed')
      return 'again' as const
    })
  return async () => {
    if (running) return
    running = true
    // setImmediate lets messages that arrived meanwhile take their place in the queues before the next step is chosen.
    while ((await stepSafely()) === 'again') await new Promise(setImmediate)
    running = false
    onIdle()
  }
}

type Answer = (id: number, reply: Reply) => void

/**
 * Several calls, one commit. Replies leave only after it. If the commit fails, or a call in it, all are undone and each is
 * run again alone: none was answered yet, so each gets the answer of what then happens to it.
 */
async function runGroup(ctx: Context, runCall: RunCall, group: readonly Waiting[], reply: Answer): Promise<void> {
  const outcome = await tryGroup(ctx, runCall, group)
  if (outcome.kind !== 'undone' || group.length === 1) return answer(ctx, outcome, group, reply)
  for (const [index, waiting] of group.entries()) {
    const alone = await tryGroup(ctx, runCall, [waiting])
    // One call has waited for the lock. Waiting once more for each of the others would take minutes.
    if (alone.kind === 'locked') return answer(ctx, alone, group.slice(index), reply)
    answer(ctx, alone, [waiting], reply)
  }
}

function answer(ctx: Context, outcome: Outcome, group: readonly Waiting[], reply: Answer): void {
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
  /** `locked`: no call was begun. */
  | { kind: 'undone' | 'locked'; toReply(waiting: Waiting): Reply }

/** A call was answered with a server error: nothing of it may stay. */
class CallFailed extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super('a call of the group failed')
    this.reply = reply
  }
}

async function tryGroup(ctx: Context, runCall: RunCall, group: readonly Waiting[]): Promise<Outcome> {
  const afterCommit: (() => void)[] = []
  const left: Left[] = []
  const groupCtx: Context = { ...ctx, left, afterCommit: work => void afterCommit.push(work) }
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
      await storeLeft(ctx.db, left)
      return all
    })
    return { kind: 'stored', replies, afterCommit }
  } catch (error) {
    const toReply = ({ call }: Waiting) =>
      error instanceof CallFailed ? error.reply : toErrorReply(error, ctx.log, call.requestId)
    return { kind: hasBegun ? 'undone' : 'locked', toReply }
  }
}
