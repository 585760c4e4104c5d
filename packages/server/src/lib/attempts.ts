/**
 * Attempts at a password. Wrong ones are counted and forgotten with time. Beyond those that are free, an attempt is held for
 * a moment before its password is checked: guessing stays slow, and the right password is never refused for good.
 *
 * At most a few attempts are held for each account and address, so that one account takes about two guesses a second. Nobody can
 * take all places of somebody else's account: an address from which the account was signed in to does not need one of them, and a
 * new address gets one from an address that has several. Counts are kept in memory, where a restart forgets them, or in a database that
 * several processes share (processes/shared-attempts.ts). Attempts are held by the process that got them.
 */
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DomainError, TooManyAttempts } from '@postil/domain/errors'

/** By what wrong attempts are counted: how many cost nothing, and how many may be held at once. */
export const LIMITS = {
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
export const FORGET_MS = 10_000
/** Wrong attempts beyond the free ones that are remembered: after a long attack it is over within minutes. */
export const OVER_MAX = 20
/** Of all keys together: held attempts are open connections. */
const HELD_MAX = 1_000
/** Past this many keys the one that was used longest ago is forgotten. */
const KEYS_MAX = 10_000
/** Pairs of account and address that had the right password; past this many the oldest is forgotten. */
const FAMILIAR_MAX = 10_000

export interface AttemptKey {
  limit: keyof typeof LIMITS
  /** Of any length: only its hash is kept. */
  value: string
}

export interface Attempts {
  /**
   * Runs `check`, maybe after a delay; null from it means that the password was wrong. `isFamiliar`: the account was signed in to from
   * this address before. Throws TooManyAttempts when too many are being held already.
   */
  run<T>(keys: readonly AttemptKey[], check: (isFamiliar: boolean) => Promise<T | null>): Promise<T | null>
  /** Refuses what is being held: the server stops. */
  close(): Promise<void>
}

/** An attempt that was counted. */
export interface Counted {
  /** With which it was counted. */
  keys: readonly NamedLimit[]
  /** The account was signed in to from this address before. */
  isFamiliar: boolean
  /** How long to hold it. */
  delayMs: number
}

/** Where wrong attempts are counted, and addresses remembered that had the right password. */
export interface AttemptCounts {
  /**
   * Counts an attempt before it is made, so that attempts at the same time count too. `enter` is called with the delay before that: if
   * it throws, the attempt is refused and does not count.
   */
  add(keys: readonly NamedLimit[], enter: (keys: readonly NamedLimit[], delayMs: number) => void): Promise<Counted> | Counted
  /** The attempt was not a wrong one after all. */
  takeBack(keys: readonly NamedLimit[], isRight: boolean): void
  close(): Promise<void>
}

interface AttemptsOptions {
  nowMs?: () => number
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  counts?: AttemptCounts
  /** How many processes share the places for attempts that are held. */
  processes?: () => number
}

const sleepFor = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal })

export function openAttempts(options: AttemptsOptions = {}): Attempts {
  const { nowMs = () => performance.now(), sleep = sleepFor, counts = openCounts(nowMs), processes = () => 1 } = options
  const places = openPlaces(processes)
  const closing = new AbortController()

  async function hold(ms: number, place: Place): Promise<void> {
    try {
      await sleep(ms, AbortSignal.any([closing.signal, place.signal]))
    } catch (error) {
      if (closing.signal.aborted) throw new DomainError('unavailable', 'The server is stopping. Try again in a moment.')
      throw place.signal.aborted ? new TooManyAttempts(DELAY_MAX_MS / 1000) : error
    } finally {
      place.leave()
    }
  }

  /** Counts the attempt, and holds it if it has to wait. */
  async function begin(given: readonly AttemptKey[]): Promise<Counted> {
    let place: Place | undefined
    const enter = (keys: readonly NamedLimit[], delayMs: number) => {
      if (delayMs > 0) place ??= places.take(keys)
    }
    try {
      const added = counts.add(given.map(toNamed), enter)
      // Without a turn in between, so that the delay begins now.
      const counted = added instanceof Promise ? await added : added
      try {
        if (place) await hold(counted.delayMs, place)
        return counted
      } catch (error) {
        counts.takeBack(counted.keys, false)
        throw error
      }
    } finally {
      place?.leave()
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

/** The keys that count: what others try with an account does not concern an address from which it was signed in to. */
export const keysThatCount = (keys: readonly NamedLimit[], isFamiliar: boolean): readonly NamedLimit[] =>
  isFamiliar ? keys.filter(({ limit }) => limit !== 'account') : keys

/** The delay of an attempt when the wrong ones before it are forgotten in `leftMs`. */
export function delayOf({ free }: NamedLimit, leftMs: number): number {
  const wrong = Math.ceil(leftMs / FORGET_MS)
  return Math.min(DELAY_MAX_MS, Math.max(0, wrong - free + 1) * DELAY_STEP_MS)
}

/** Counts in memory. */
function openCounts(nowMs: () => number): AttemptCounts {
  const counters = openCounters(nowMs)
  const familiar = openFamiliar()
  return {
    add: (all, enter) => {
      const isFamiliar = familiar.has(all)
      const keys = keysThatCount(all, isFamiliar)
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

/** Pairs of an account and an address from which it was signed in to. */
function openFamiliar() {
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

/** The place of an attempt that is held. The signal tells that another attempt has taken it. */
interface Place {
  signal: AbortSignal
  leave(): void
}

interface Holder {
  keys: readonly NamedLimit[]
  stop: AbortController
}

/** Each process has its share of the places for a key; two of them are enough to let a new address in. */
const shareOf = (heldMax: number, processes: number) => Math.max(Math.min(2, heldMax), Math.ceil(heldMax / processes))

/** Places for attempts that are held. */
function openPlaces(processes: () => number) {
  /** Name of a key -> who holds its places. */
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

  /** Frees a place of an account for an address that has none, if another address has several. Answers whether it could. */
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
    /** Throws when there is none. */
    take: (keys: readonly NamedLimit[]): Place => {
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

/** Wrong attempts of each key. */
function openCounters(nowMs: () => number) {
  /** Name -> when the last of its wrong attempts is forgotten; each one moves that further. The one used last stands last. */
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
