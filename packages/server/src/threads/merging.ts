/**
 * Merging of text segments, as the main thread sees it: the merger thread merges some, the writer stores them, then come the next ones. So
 * merges never wait for each other, and a failure of either thread's part is the failure of one piece of background work.
 */
import type { Context } from '../context.ts'
import { supervise } from '../lib/supervise.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { hasSegments } from '../search/source/store-segment.ts'
import { expectKind } from './messages.ts'
import { Thread, type ThreadDied } from './thread.ts'

/** After a write: what is written right after it is merged together with it. */
const DELAY_MS = 1_000
/** Between two merges. */
const PAUSE_MS = 50
/** A thread that has nothing to do for so long is ended: it takes memory. */
const IDLE_MS = 60_000

export interface Merging {
  /** Texts may have been stored. */
  wake(): void
  /** Does not wait for a merge that runs. */
  stop(): Promise<void>
}

export function openMerging(ctx: Context, writer: Thread): Merging {
  const merger = openMerger(ctx)
  const work = supervise(mergeOnce, { name: 'text segments', log: ctx.log })
  let next: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  let isRunning = false
  let isDue = false
  let isStopped = false

  /** False if there was nothing to do. */
  async function mergeOnce(): Promise<boolean> {
    try {
      const merge = await merger.merge()
      if (merge === null) return false
      const bytes = merge.replacement.merged?.bytes
      await writer.ask({ kind: 'replace', merge }, bytes ? [bytes.buffer as ArrayBuffer] : [])
      return true
    } catch (error) {
      // The threads that were asked have been closed.
      if (isStopped) return false
      throw error
    }
  }

  async function run(): Promise<void> {
    next = undefined
    isRunning = true
    isDue = false
    const isMerged = await work.step()
    isRunning = false
    if (isMerged === null) plan(work.waitMs())
    else if (isMerged) plan(PAUSE_MS)
    else if (isDue) plan(DELAY_MS)
    else if (!isStopped) idle = setTimeout(() => void merger.close(), IDLE_MS).unref()
  }

  function plan(afterMs: number): void {
    if (isStopped || !hasSegments(ctx.config)) return
    clearTimeout(idle)
    next ??= setTimeout(() => void run(), afterMs).unref()
  }

  return {
    wake: () => {
      if (isRunning) isDue = true
      else plan(DELAY_MS)
    },
    stop: async () => {
      isStopped = true
      clearTimeout(next)
      clearTimeout(idle)
      await merger.close()
    },
  }
}

/** The merger thread, started when it is needed. The server works without it: if it dies, the next merge starts another. */
function openMerger({ config, secrets, log }: Context) {
  let thread: Thread | null = null
  let death: ThreadDied | null = null
  const died = (error: ThreadDied) => {
    log.error({ err: error.cause, thread: error.role }, 'a thread ended')
    death = error
    thread = null
  }
  const open = () => {
    death = null
    return new Thread({ role: 'merger', config, secrets }, { died })
  }
  return {
    merge: async (): Promise<TextMerge | null> => {
      thread ??= open()
      try {
        return expectKind(await thread.ask({ kind: 'merge' }), 'merged').merge
      } catch (error) {
        throw death ?? error
      }
    },
    close: async () => {
      const closing = thread
      thread = null
      await closing?.close()
    },
  }
}
