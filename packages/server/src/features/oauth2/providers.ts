/** The providers of a process: cached connections, and limits on their use. */
import { RetryLater } from '@postil/domain/errors'
import type { OAuthConfig, ProviderConfig } from '../../oauth-config.ts'
import { ATTEMPT_SECONDS } from './attempt.ts'
import { createLimitedFetch, FETCH_LIMITS, type FetchLimits } from './limited-fetch.ts'
import { type Connection, openConnection } from './protocol.ts'

/** How long the metadata of a provider is cached. */
const KEPT_MS = 3_600_000
/** Delay before a provider that failed is contacted again. */
const FAILURE_KEPT_MS = 5_000
/** Limits of concurrent sign-ins, each of which waits for a provider. */
const FINISHING_MAX = 100
const FINISHING_PER_ADDRESS_MAX = 10
/** Limit of used states remembered until their sign-ins would have expired. */
const USED_MAX = 20_000

export interface Providers {
  readonly all: readonly ProviderConfig[]
  connect(provider: ProviderConfig): Promise<Connection>
  /** Returns false if this process has used the state before. */
  useState(state: string): boolean
  /** Runs `work`, or throws if too many are running. */
  limited<T>(address: string, work: () => Promise<T>): Promise<T>
}

interface Options {
  limits?: FetchLimits
  nowMs?: () => number
}

export function createProviders(
  { providers }: Pick<OAuthConfig, 'providers'>,
  { limits = FETCH_LIMITS, nowMs = () => performance.now() }: Options = {},
): Providers {
  const fetch = createLimitedFetch(limits)
  const kept = new Map<string, { connection: Promise<Connection>; untilMs: number }>()
  const finishing = new Map<string, number>()
  let finishingCount = 0

  return {
    all: providers,
    connect: provider => {
      const now = nowMs()
      const known = kept.get(provider.name)
      if (known && known.untilMs > now) return known.connection
      const entry = { connection: openConnection(provider, fetch), untilMs: now + KEPT_MS }
      // Falls back to the previous metadata if reading it again fails.
      entry.connection = entry.connection.catch(async (error: unknown) => {
        entry.untilMs = nowMs() + FAILURE_KEPT_MS
        const before = await known?.connection.catch(() => null)
        if (before) return before
        throw error
      })
      kept.set(provider.name, entry)
      return entry.connection
    },
    useState: createUsedStates(nowMs),
    limited: async (address, work) => {
      const count = finishing.get(address) ?? 0
      if (count >= FINISHING_PER_ADDRESS_MAX || finishingCount >= FINISHING_MAX) {
        throw new RetryLater('too_many_attempts', 'Too many sign-ins are under way. Try again in a few seconds.', 5)
      }
      finishing.set(address, count + 1)
      finishingCount++
      try {
        return await work()
      } finally {
        const rest = (finishing.get(address) ?? 1) - 1
        if (rest > 0) finishing.set(address, rest)
        else finishing.delete(address)
        finishingCount--
      }
    },
  }
}

/** The map is in order of use, so the oldest entries expire first. */
function createUsedStates(nowMs: () => number): (state: string) => boolean {
  const usedAtMs = new Map<string, number>()
  return state => {
    const now = nowMs()
    for (const [used, at] of usedAtMs) {
      if (usedAtMs.size < USED_MAX && now - at < ATTEMPT_SECONDS * 1000) break
      usedAtMs.delete(used)
    }
    if (usedAtMs.has(state)) return false
    usedAtMs.set(state, now)
    return true
  }
}
