/**
 * Attempts at a password. Wrong ones are counted and forgotten with time. Beyond those that are free, an attempt is held for
 * a moment before its password is checked: guessing stays slow, and the right password is never refused for good.
 *
 * At most a few attempts are held for each account and address, so that one account takes about two guesses a second. Kept
 * in memory only: a restart forgets.
 */
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DomainError, TooManyAttempts } from '@postil/domain/errors'

/** By what wrong attempts are counted: how many cost nothing, and how many may be held at once. */
const LIMITS = {
  /** One account from one address. Twice as many as come from an attacker who tries once a second. */
  account_and_address: { free: 10, heldMax: 10 },
  /** One account from anywhere: a few more, so that one address alone cannot take all places. */
  account: { free: 20, heldMax: 12 },
  /** One address with any names; many people may share it. */
  address: { free: 30, heldMax: 20 },
  /** Somebody whom the server knows: nobody else's attempts count here. */
  known: { free: 10, heldMax: 3 },
} as const

const DELAY_STEP_MS = 500
const DELAY_MAX_MS = 5_000
/** One wrong attempt is forgotten every so often. */
const FORGET_MS = 10_000
/** Wrong attempts beyond the free ones that are remembered: after a long attack it is over within minutes. */
const OVER_MAX = 20
/** Of all keys together: held attempts are open connections. */
const HELD_MAX = 1_000
/** Past this many keys the one that was used longest ago is forgotten. */
const KEYS_MAX = 10_000

export interface AttemptKey {
  limit: keyof typeof LIMITS
  /** Of any length: only its hash is kept. */
  value: string
}

export interface Attempts {
  /**
   * Runs `check`, maybe after a delay; null from it means that the password was wrong. Throws TooManyAttempts when too many
   * are being held already.
   */
  run<T>(keys: readonly AttemptKey[], check: () => Promise<T | null>): Promise<T | null>
  /** Refuses what is being held: the server stops. */
  close(): void
}

interface AttemptsOptions {
  nowMs?: () => number
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const sleepFor = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal })

export function openAttempts({ nowMs = () => performance.now(), sleep = sleepFor }: AttemptsOptions = {}): Attempts {
  const counters = openCounters(nowMs)
  const places = openPlaces()
  const closing = new AbortController()

  async function hold(ms: number, leave: () => void): Promise<void> {
    try {
      await sleep(ms, closing.signal)
    } catch (error) {
      if (closing.signal.aborted) throw new DomainError('unavailable', 'The server is stopping. Try again in a moment.')
      throw error
    } finally {
      leave()
    }
  }

  return {
    run: async (keys, check) => {
      const named = keys.map(toNamed)
      const delay = Math.max(...named.map(counters.delayOf))
      const leave = delay > 0 ? places.take(named) : null
      // Counted before it is made, so that attempts at the same time count too; one that was refused does not.
      for (const key of named) counters.add(key)
      let isWrong = false
      try {
        if (leave) await hold(delay, leave)
        const found = await check()
        isWrong = found === null
        return found
      } finally {
        if (!isWrong) for (const key of named) counters.takeBack(key)
      }
    },
    close: () => closing.abort(),
  }
}

interface NamedLimit {
  name: string
  free: number
  heldMax: number
}

const toNamed = ({ limit, value }: AttemptKey): NamedLimit => ({
  name: `${limit} ${hash('sha256', value, 'base64url')}`,
  ...LIMITS[limit],
})

/** Places for attempts that are held. */
function openPlaces() {
  const held = new Map<string, number>()
  let total = 0
  const change = (keys: readonly NamedLimit[], by: 1 | -1) => {
    total += by
    for (const { name } of keys) {
      const count = (held.get(name) ?? 0) + by
      if (count > 0) held.set(name, count)
      else held.delete(name)
    }
  }
  return {
    /** Answers what gives the places back; throws when there are none. */
    take: (keys: readonly NamedLimit[]) => {
      if (total >= HELD_MAX || keys.some(({ name, heldMax }) => (held.get(name) ?? 0) >= heldMax)) {
        throw new TooManyAttempts(DELAY_MAX_MS / 1000)
      }
      change(keys, 1)
      return () => change(keys, -1)
    },
  }
}

/** Wrong attempts of each key. */
function openCounters(nowMs: () => number) {
  /** Name -> when the last of its wrong attempts is forgotten; each one moves that further. The one used last stands last. */
  const forgottenAt = new Map<string, number>()
  const known = (name: string, now: number) => Math.max(now, forgottenAt.get(name) ?? 0)
  return {
    delayOf: ({ name, free }: NamedLimit): number => {
      const now = nowMs()
      const wrong = Math.ceil((known(name, now) - now) / FORGET_MS)
      return Math.min(DELAY_MAX_MS, Math.max(0, wrong - free + 1) * DELAY_STEP_MS)
    },
    add: ({ name, free }: NamedLimit): void => {
      const now = nowMs()
      const at = Math.min(known(name, now) + FORGET_MS, now + (free + OVER_MAX) * FORGET_MS)
      forgottenAt.delete(name)
      if (forgottenAt.size >= KEYS_MAX) makeRoom(forgottenAt, now)
      forgottenAt.set(name, at)
    },
    takeBack: ({ name }: NamedLimit): void => {
      const at = forgottenAt.get(name)
      if (at !== undefined) forgottenAt.set(name, at - FORGET_MS)
    },
  }
}

function makeRoom(forgottenAt: Map<string, number>, now: number): void {
  for (const [name, at] of forgottenAt) if (at <= now) forgottenAt.delete(name)
  const [oldest] = forgottenAt.keys()
  if (forgottenAt.size >= KEYS_MAX && oldest !== undefined) forgottenAt.delete(oldest)
}
