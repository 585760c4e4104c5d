/**
 * Keeps SQLite's write-ahead log small. SQLite starts the log anew only when no reader uses it, and while reads overlap there
 * is no such moment: the log grows without end. So once it is large, readers are held back until the writer has copied it
 * into the database file.
 */
import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Lane } from './lane.ts'

/** Larger than what SQLite's own checkpoints leave when nothing is in their way. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024
/** How often the log's size is looked at. */
const LOOK_MS = 250
/**
 * How long new reads wait for those that run to end. It doubles with every attempt in vain, up to more than a read may take (READ_MS_MAX in
 * run-worker.ts), so that the log is emptied even if all reads are slow.
 */
const HOLD_MS_MIN = 2_000
const HOLD_MS_MAX = 16_000
/** After an attempt that failed because a read took longer. */
const RETRY_MS = 5_000

export interface LogGuardOptions {
  logFile: string
  bytesMax: number
  /** Of the threads that read. */
  lanes: readonly Lane[]
  /** Has the writer copy the log and empty it; false when it could not. */
  checkpoint(): Promise<boolean>
  log: Logger
}

export interface LogGuard {
  stop(): void
}

export function openLogGuard({ logFile, bytesMax, lanes, checkpoint, log }: LogGuardOptions): LogGuard {
  let isRunning = false
  let retryAt = 0
  let holdMs = HOLD_MS_MIN

  async function look(): Promise<void> {
    const bytes = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
    if (isRunning || bytes <= bytesMax || performance.now() < retryAt) return
    isRunning = true
    const started = performance.now()
    try {
      const isDone = await heldBack(lanes, holdMs, checkpoint)
      const ms = Math.round(performance.now() - started)
      if (isDone) log.info({ bytes, ms }, 'write-ahead log emptied')
      else log.warn({ bytes, ms, retry_ms: RETRY_MS }, 'write-ahead log not emptied: a read is still running')
      holdMs = isDone ? HOLD_MS_MIN : Math.min(HOLD_MS_MAX, 2 * holdMs)
      if (!isDone) retryAt = performance.now() + RETRY_MS
    } catch (error) {
      retryAt = performance.now() + RETRY_MS
      log.warn({ bytes, err: error }, 'write-ahead log not emptied')
    } finally {
      isRunning = false
    }
  }

  const timer = setInterval(() => void look(), LOOK_MS).unref()
  return { stop: () => clearInterval(timer) }
}

async function heldBack(lanes: readonly Lane[], holdMs: number, work: () => Promise<boolean>): Promise<boolean> {
  try {
    const idle = await Promise.all(lanes.map(lane => lane.hold(holdMs)))
    return idle.every(isIdle => isIdle) && (await work())
  } finally {
    for (const lane of lanes) lane.release()
  }
}
