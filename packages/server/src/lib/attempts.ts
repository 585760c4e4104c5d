/**
 * Attempts at a secret: some at once, then one every few seconds, for each key (who tries what from where). Kept in memory
 * only: a restart forgives.
 */
import { hash } from 'node:crypto'
import { TooManyAttempts } from '@postil/domain/errors'

const QUICK_MAX = 10
const PAUSE_MS = 5_000
/** Past this many keys the oldest is forgotten. */
const KEYS_MAX = 10_000

export interface Attempts {
  /** Counts an attempt before it is made, so that many at the same time count too; throws when there were too many. */
  take(key: string): void
  /** It was a right one: as if it had not been. */
  giveBack(key: string): void
}

export function openAttempts(nowMs: () => number = () => performance.now()): Attempts {
  /** Key -> when all its attempts are forgotten; each one moves that further by a pause. */
  const forgottenAt = new Map<string, number>()
  const short = (key: string) => hash('sha256', key, 'base64url')
  return {
    take: key => {
      const now = nowMs()
      const known = Math.max(now, forgottenAt.get(short(key)) ?? 0)
      const waitMs = known - now - (QUICK_MAX - 1) * PAUSE_MS
      if (waitMs > 0) throw new TooManyAttempts(Math.ceil(waitMs / 1000))
      if (forgottenAt.size >= KEYS_MAX) makeRoom(forgottenAt, now)
      forgottenAt.set(short(key), known + PAUSE_MS)
    },
    giveBack: key => {
      const known = forgottenAt.get(short(key))
      if (known !== undefined) forgottenAt.set(short(key), known - PAUSE_MS)
    },
  }
}

function makeRoom(forgottenAt: Map<string, number>, now: number): void {
  for (const [key, at] of forgottenAt) if (at <= now) forgottenAt.delete(key)
  const [oldest] = forgottenAt.keys()
  if (forgottenAt.size >= KEYS_MAX && oldest !== undefined) forgottenAt.delete(oldest)
}
