/**
 * The first argument of every use case: its dependencies, created once per thread and passed on. There are no globals and no
 * container.
 */
import type { Actor } from '@postil/domain/permissions'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { LiveSource } from './events/live-source.ts'
import type { DeferredData, Subscriber } from './events/subscribers/all.ts'
import type { SignInLog } from './features/audit-log/sign-in-log.ts'
import type { Providers } from './features/oauth2/providers.ts'
import type { Tallies } from './features/overview/tallies.ts'
import type { Readiness } from './health/readiness.ts'
import type { Sender } from './http/sender.ts'
import type { TrustedProxies } from './lib/addresses.ts'
import type { Attempts } from './lib/attempts.ts'
import type { Passwords } from './lib/password.ts'
import type { ApiKeys, Secrets } from './lib/secrets.ts'
import type { SearchEngine } from './search/engine.ts'
import type { Database } from './storage/database.ts'

export interface Context {
  config: Config
  db: Database
  search: SearchEngine
  /** Counters for overviews; used in search threads. */
  tallies: Tallies
  log: Logger
  /** Strictly increasing, in microseconds. */
  now(): string
  newId(): string
  secrets: Secrets
  apiKeys: ApiKeys
  /** Password hashing; in the main thread of a running server, a dedicated thread does it. */
  passwords: Passwords
  /** Rate limit of password attempts. */
  attempts: Attempts
  /** Records sign-ins and wrong passwords for the audit log in the background. */
  signIns: SignInLog
  proxies: TrustedProxies
  /** Whether this process accepts requests. */
  readiness: Readiness
  /** Providers for sign-in; only the main thread calls them. */
  providers: Providers
  subscribers: readonly Subscriber[]
  /** Source of events for open event streams. */
  live: LiveSource
  /** Deferred writes of transactions in a group commit, stored before the commit; null for a transaction that commits alone. */
  deferred: DeferredData[] | null
  /** Runs `work` after the current write is committed: immediately, or after the commit of its group. */
  afterCommit(work: () => void): void
}

/** Context of a request that needs no authentication. */
export interface OpenContext extends Context {
  requestId: string
  sender: Sender
}

export interface RequestContext extends OpenContext {
  actor: Actor
}
