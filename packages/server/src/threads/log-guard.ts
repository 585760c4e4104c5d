/**
 * Keeps SQLite's write-ahead log small. SQLite restarts the log only when no reader uses it. While reads overlap, that never
 * happens and the log grows without limit. When the log is large, readers are therefore held back until the writer has made a
 * checkpoint.
 */
import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Lane } from './lane.ts'

/** Larger than the log that SQLite's own checkpoints leave when nothing blocks them. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024
/** Polling interval for the size of the log. */
const LOOK_MS = 250
/**
 * How long new reads are held back until running reads end. Doubles with every failed attempt, up to more than the time limit of
 * a read (READ_MS_MAX in run-worker.ts), so that the checkpoint succeeds even if all reads are slow.
 */
const HOLD_MS_MIN = 2_000
const HOLD_MS_MAX = 16_000
/** Pause after an attempt that failed because a read took too long. */
const RETRY_MS = 5_000

export interface LogGuardOptions {
  logFile: string
  bytesMax: number
  /** Lanes of the reader threads. */
  lanes: readonly Lane[]
  /** Makes the writer copy the log into the database file and empty it; resolves with false if that was not possible. */
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
      const isDone = await whileHeld(lanes, holdMs, checkpoint)
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

async function whileHeld(lanes: readonly Lane[], holdMs: number, work: () => Promise<boolean>): Promise<boolean> {
  try {
    const idle = await Promise.all(lanes.map(lane => lane.hold(holdMs)))
    return idle.every(isIdle => isIdle) && (await work())
  } finally {
    for (const lane of lanes) lane.release()
  }
}
