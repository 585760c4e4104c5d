/**
 * Rate limit of password attempts. Wrong attempts are counted and expire with time. Beyond a free number, an attempt is delayed
 * before its password is checked: guessing stays slow, and the right password is never refused permanently.
 *
 * Only a few attempts per account and address can be delayed at the same time, which allows about two guesses a second per
 * account. An attacker cannot use up all slots of an account: an address that has signed in to the account before does not need
 * one, and a new address gets one from an address that has several. Counts are in memory, where they are lost on restart, or in a
 * database that several processes share (processes/shared-attempts.ts). Each process delays its own attempts.
 */
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DomainError, TooManyAttempts } from '@postil/domain/errors'

/** Keys by which wrong attempts are counted: how many are free, and how many can be delayed at the same time. */
export const LIMITS = {
  /** One account from one address. Twice as many as an attacker needs who tries once a second. */
  account_and_address: { free: 10, heldMax: 10 },
  /** One account from any address: a few more, so that one address alone cannot use up all slots. */
  account: { free: 20, heldMax: 12 },
  /** One address with any account; many people may share it. */
  address: { free: 30, heldMax: 20 },
  /** A known user or browser, which attempts of others do not affect. */
  known: { free: 10, heldMax: 3 },
} as const

const DELAY_STEP_MS = 500
const DELAY_MAX_MS = 5_000
/** Interval at which one wrong attempt expires. */
export const FORGET_MS = 10_000
/** Maximum count of wrong attempts beyond the free ones, so that delays end minutes after a long attack. */
export const OVER_MAX = 20
/** Limit for all keys together, because every delayed attempt is an open connection. */
const HELD_MAX = 1_000
/** Beyond this many keys, the least recently used one is removed. */
const KEYS_MAX = 10_000
/** Limit of remembered pairs of account and address with a successful sign-in; beyond it the oldest is removed. */
const FAMILIAR_MAX = 10_000

export interface AttemptKey {
  limit: keyof typeof LIMITS
  /** Any length; only its hash is stored. */
  value: string
}

export interface Attempts {
  /**
   * Runs `check`, possibly after a delay; it returns null if the password was wrong. `isFamiliar` is true if the account was
   * signed in to from this address before. Throws TooManyAttempts if too many are delayed already.
   */
  run<T>(keys: readonly AttemptKey[], check: (isFamiliar: boolean) => Promise<T | null>): Promise<T | null>
  /** Refuses the delayed attempts because the server stops. */
  close(): Promise<void>
}

export interface CountedAttempt {
  /** The keys under which it was counted. */
  keys: readonly NamedLimit[]
  /** True if the account was signed in to from this address before. */
  isFamiliar: boolean
  delayMs: number
}

type EnterSlot = (keys: readonly NamedLimit[], delayMs: number) => void

/** Storage of the counts of wrong attempts, and of addresses with a successful sign-in. */
export interface AttemptCounts {
  /**
   * Counts an attempt before it is made, so that concurrent attempts count too. Calls `enter` with the delay first: if it throws,
   * the attempt is refused and not counted.
   */
  add(keys: readonly NamedLimit[], enter: EnterSlot): Promise<CountedAttempt> | CountedAttempt
  /** Removes an attempt that was not wrong from the count. */
  takeBack(keys: readonly NamedLimit[], isRight: boolean): void
  close(): Promise<void>
}

interface AttemptsOptions {
  nowMs?: () => number
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  counts?: AttemptCounts
  /** Number of processes that share the slots for delayed attempts. */
  processes?: () => number
}

const sleepFor = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal })

export function openAttempts(options: AttemptsOptions = {}): Attempts {
  const { nowMs = () => performance.now(), sleep = sleepFor, counts = createMemoryCounts(nowMs), processes = () => 1 } = options
  const slots = createSlots(processes)
  const closing = new AbortController()

  async function hold(ms: number, slot: Slot): Promise<void> {
    try {
      await sleep(ms, AbortSignal.any([closing.signal, slot.signal]))
    } catch (error) {
      if (closing.signal.aborted) throw new DomainError('unavailable', 'The server is stopping. Try again in a moment.')
      throw slot.signal.aborted ? new TooManyAttempts(DELAY_MAX_MS / 1000) : error
    } finally {
      slot.leave()
    }
  }

  /** Counts the attempt, and delays it if necessary. */
  async function begin(given: readonly AttemptKey[]): Promise<CountedAttempt> {
    let slot: Slot | undefined
    const enter: EnterSlot = (keys, delayMs) => {
      if (delayMs > 0) slot ??= slots.take(keys)
    }
    try {
      const added = counts.add(given.map(toNamed), enter)
      // Awaited only if needed, so that the delay begins without a turn of the event loop.
      const counted = added instanceof Promise ? await added : added
      try {
        if (slot) await hold(counted.delayMs, slot)
        return counted
      } catch (error) {
        counts.takeBack(counted.keys, false)
        throw error
      }
    } finally {
      slot?.leave()
    }
  }

  return {
    run: async (given, check) => {
      const { keys, isFamiliar } = await begin(given)
      let isWrong = false
      let isRight = false
      try {
        const found = await check(isFamiliar)
        isWrong = found === null
        isRight = !isWrong
        return found
      } finally {
        if (!isWrong) counts.takeBack(keys, isRight)
      }
    },
    close: async () => {
      closing.abort()
      await counts.close()
    },
  }
}

export interface NamedLimit {
  limit: AttemptKey['limit']
  name: string
  free: number
  heldMax: number
}

const toNamed = ({ limit, value }: AttemptKey): NamedLimit => ({
  limit,
  name: `${limit} ${hash('sha256', value, 'base64url')}`,
  ...LIMITS[limit],
})

export const nameOf = (keys: readonly NamedLimit[], limit: AttemptKey['limit']) => keys.find(key => key.limit === limit)?.name

/** Returns the keys to count: attempts of others on an account do not affect an address that has signed in to it before. */
export const toCountedKeys = (keys: readonly NamedLimit[], isFamiliar: boolean): readonly NamedLimit[] =>
  isFamiliar ? keys.filter(({ limit }) => limit !== 'account') : keys

/** Returns the delay of an attempt if the previous wrong ones expire in `leftMs`. */
export function delayOf({ free }: NamedLimit, leftMs: number): number {
  const wrong = Math.ceil(leftMs / FORGET_MS)
  return Math.min(DELAY_MAX_MS, Math.max(0, wrong - free + 1) * DELAY_STEP_MS)
}

/** Stores the counts in memory. */
function createMemoryCounts(nowMs: () => number): AttemptCounts {
  const counters = createCounters(nowMs)
  const familiar = createFamiliarPairs()
  return {
    add: (all, enter) => {
      const isFamiliar = familiar.has(all)
      const keys = toCountedKeys(all, isFamiliar)
      const delayMs = Math.max(...keys.map(key => delayOf(key, counters.leftMs(key))))
      enter(keys, delayMs)
      for (const key of keys) counters.add(key)
      return { keys, isFamiliar, delayMs }
    },
    takeBack: (keys, isRight) => {
      if (isRight) familiar.add(keys)
      for (const key of keys) counters.takeBack(key)
    },
    close: async () => {},
  }
}

/** Pairs of account and address with a successful sign-in. */
function createFamiliarPairs() {
  const names = new Set<string>()
  return {
    has: (keys: readonly NamedLimit[]): boolean => names.has(nameOf(keys, 'account_and_address') ?? ''),
    add: (keys: readonly NamedLimit[]): void => {
      const name = nameOf(keys, 'account_and_address')
      if (name === undefined) return
      names.delete(name)
      names.add(name)
      const [oldest] = names
      if (names.size > FAMILIAR_MAX && oldest !== undefined) names.delete(oldest)
    },
  }
}

/** The slot of a delayed attempt. The signal is aborted if another attempt takes the slot. */
interface Slot {
  signal: AbortSignal
  leave(): void
}

interface Holder {
  keys: readonly NamedLimit[]
  stop: AbortController
}

/** Slots of one process for a key. Two are enough to let a new address in. */
const shareOf = (heldMax: number, processes: number) => Math.max(Math.min(2, heldMax), Math.ceil(heldMax / processes))

/** Slots for delayed attempts. */
function createSlots(processes: () => number) {
  /** Holders of the slots, by name of the key. */
  const held = new Map<string, Set<Holder>>()
  let total = 0
  const enter = (holder: Holder) => {
    total++
    for (const { name } of holder.keys) {
      const holders = held.get(name) ?? new Set()
      held.set(name, holders.add(holder))
    }
  }
  const leave = (holder: Holder) => {
    if (!held.get(holder.keys[0]?.name ?? '')?.has(holder)) return
    total--
    for (const { name } of holder.keys) {
      const holders = held.get(name)
      holders?.delete(holder)
      if (holders?.size === 0) held.delete(name)
    }
  }
  const isFull = ({ name, heldMax }: NamedLimit) => (held.get(name)?.size ?? 0) >= shareOf(heldMax, processes())

  /** Frees a slot of an account for an address that has none, if another address has several. Returns whether it did. */
  const makeRoom = (account: NamedLimit, pair: string | undefined): boolean => {
    const pairs = Map.groupBy(held.get(account.name) ?? [], ({ keys }) => nameOf(keys, 'account_and_address'))
    if (pairs.has(pair)) return false
    const largest = [...pairs.values()].reduce((most, some) => (some.length > most.length ? some : most), [])
    const last = largest.length > 1 ? largest.at(-1) : undefined
    if (!last) return false
    leave(last)
    last.stop.abort()
    return true
  }

  return {
    /** Throws if no slot is free. */
    take: (keys: readonly NamedLimit[]): Slot => {
      const full = keys.filter(isFull)
      const [account] = full
      const isAccountOnly = full.length === 1 && account?.limit === 'account'
      const hasRoom = full.length === 0 || (isAccountOnly && makeRoom(account, nameOf(keys, 'account_and_address')))
      if (total >= HELD_MAX || !hasRoom) throw new TooManyAttempts(DELAY_MAX_MS / 1000)
      const holder = { keys, stop: new AbortController() }
      enter(holder)
      return { signal: holder.stop.signal, leave: () => leave(holder) }
    },
  }
}

/** Counts wrong attempts by key. */
function createCounters(nowMs: () => number) {
  /** Time at which the last wrong attempt expires, by name; each attempt adds `FORGET_MS`. In LRU order, most recent last. */
  const forgottenAt = new Map<string, number>()
  const known = (name: string, now: number) => Math.max(now, forgottenAt.get(name) ?? 0)
  return {
    leftMs: ({ name }: NamedLimit): number => {
      const now = nowMs()
      return known(name, now) - now
    },
    add: ({ name, free }: NamedLimit): void => {
      const now = nowMs()
      const at = Math.min(known(name, now) + FORGET_MS, now + (free + OVER_MAX) * FORGET_MS)
      forgottenAt.delete(name)
      if (forgottenAt.size >= KEYS_MAX) forgetSome(forgottenAt, now)
      forgottenAt.set(name, at)
    },
    takeBack: ({ name }: NamedLimit): void => {
      const at = forgottenAt.get(name)
      if (at !== undefined) forgottenAt.set(name, at - FORGET_MS)
    },
  }
}

function forgetSome(forgottenAt: Map<string, number>, now: number): void {
  for (const [name, at] of forgottenAt) if (at <= now) forgottenAt.delete(name)
  const [oldest] = forgottenAt.keys()
  if (forgottenAt.size >= KEYS_MAX && oldest !== undefined) forgottenAt.delete(oldest)
}
