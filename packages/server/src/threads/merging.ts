/**
 * The main thread's side of merging text segments: the merger thread merges some segments, the writer stores the result, and then
 * the next merge starts. Merges never wait for each other, and an error in either thread fails only one merge.
 */
import type { Context } from '../context.ts'
import { supervise } from '../lib/supervise.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { hasSegments } from '../search/source/store-segment.ts'
import { isOutage } from '../storage/storage-failure.ts'
import { expectKind } from './messages.ts'
import { Thread, type ThreadDied } from './thread.ts'

/** Delay after a write, so that writes in quick succession are merged together. */
const DELAY_MS = 1_000
/** Pause between two merges. */
const PAUSE_MS = 50
/** Idle time after which the thread is ended to free its memory. */
const IDLE_MS = 60_000

export interface Merging {
  /** Called when texts may have been stored. */
  wake(): void
  /** Does not wait for a running merge. */
  stop(): Promise<void>
}

export function openMerging(ctx: Context, writer: Thread): Merging {
  const merger = openMerger(ctx)
  const work = supervise(mergeOnce, { name: 'text segments', log: ctx.log, isOutage })
  let next: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  let isRunning = false
  let isDue = false
  let isStopped = false

  /** Returns false if there was nothing to do. */
  async function mergeOnce(): Promise<boolean> {
    try {
      const merge = await merger.merge()
      if (merge === null) return false
      const bytes = merge.replacement.merged?.bytes
      await writer.ask({ kind: 'replace', merge }, bytes ? [bytes.buffer as ArrayBuffer] : [])
      return true
    } catch (error) {
      // The threads have been closed, so the error is expected.
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

/** Merger thread, started on demand. If it dies, the server continues, and the next merge starts a new thread. */
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
