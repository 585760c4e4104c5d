/**
 * The order of writes. A person's response goes before programs' bulks, and responses that wait together share one
 * commit: the disk is asked once for all of them, and none is answered before it said yes. Jobs run when nobody waits.
 */
import type { Context } from '../context.ts'
import type { Call, Reply } from '../http/call.ts'
import { toErrorReply } from '../http/errors.ts'
import type { RunCall } from '../http/run-call.ts'
import { openJobRunner } from '../jobs/worker.ts'

interface Waiting {
  id: number
  urgent: boolean
  call: Call
}

/** Enough to fill a commit, few enough that the first does not wait long for the last. */
const GROUP_MAX = 64

/** How often jobs that became due (retries, or rows left by an earlier process) are looked for. */
const JOBS_LOOK_MS = 1_000

/** Between pieces of tidying the search index: it must not keep a core busy that others need. */
const TIDY_PAUSE_MS = 50

export interface WriterQueue {
  push(waiting: Waiting): void
  /** Resolves when nothing waits and nothing runs; jobs stay for the next start. */
  drained(): Promise<void>
}

export function openWriterQueue(ctx: Context, runCall: RunCall, reply: (id: number, reply: Reply) => void): WriterQueue {
  const urgent: Waiting[] = []
  const others: Waiting[] = []
  const jobs = openJobRunner(ctx)
  let running = false
  let closing: (() => void) | null = null
  const tidying = openTidying(ctx, () => void run())

  async function step(): Promise<'again' | 'idle'> {
    if (urgent.length > 0) {
      await runGroup(ctx, runCall, urgent.splice(0, GROUP_MAX), reply)
      return 'again'
    }
    const next = others.shift()
    if (next) {
      reply(next.id, await runCall(ctx, next.call))
      return 'again'
    }
    if (closing) return 'idle'
    if (await jobs.step()) return 'again'
    await tidying.step()
    return 'idle'
  }

  async function run(): Promise<void> {
    if (running) return
    running = true
    try {
      // setImmediate lets messages that arrived meanwhile take their place in the queues before the next step is chosen.
      while ((await step()) === 'again') await new Promise(setImmediate)
    } finally {
      running = false
    }
    if (closing) closing()
  }

  const timer = setInterval(() => void run(), JOBS_LOOK_MS)
  setImmediate(() => void run())

  return {
    push: waiting => {
      ;(waiting.urgent ? urgent : others).push(waiting)
      setImmediate(() => void run())
      tidying.plan()
    },
    drained: () =>
      new Promise(resolve => {
        clearInterval(timer)
        tidying.stop()
        closing = resolve
        void run()
      }),
  }
}

/** Pieces of tidying the search index, with pauses between them. `wake` is called when one is due. */
function openTidying(ctx: Context, wake: () => void) {
  let isDue = false
  let timer: NodeJS.Timeout | null = null
  const plan = () => {
    timer ??= setTimeout(() => {
      timer = null
      isDue = true
      wake()
    }, TIDY_PAUSE_MS)
  }
  const step = async () => {
    if (!isDue) return
    isDue = false
    if (await ctx.search.tidy(ctx.db)) plan()
  }
  return { plan, step, stop: () => clearTimeout(timer ?? undefined) }
}

/** Several calls, one commit. Replies leave only after it; if it fails, none of them happened. */
async function runGroup(ctx: Context, runCall: RunCall, group: Waiting[], reply: (id: number, reply: Reply) => void) {
  const afterCommit: (() => void)[] = []
  const groupCtx: Context = { ...ctx, afterCommit: work => void afterCommit.push(work) }
  const replies: Reply[] = []
  try {
    await ctx.db.group(async () => {
      for (const waiting of group) replies.push(await runCall(groupCtx, waiting.call))
    })
  } catch (error) {
    for (const waiting of group) reply(waiting.id, toErrorReply(error, ctx.log, waiting.call.requestId))
    return
  }
  for (const work of afterCommit) work()
  for (const [index, waiting] of group.entries()) reply(waiting.id, replies[index] as Reply)
}
