/** What every use case gets first: the world, made once per thread and passed on. No globals, no container. */
import type { Actor } from '@postil/domain/permissions'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { LiveSource } from './events/live-source.ts'
import type { Left, Subscriber } from './events/subscribers/all.ts'
import type { SignInLog } from './features/audit-log/sign-in-log.ts'
import type { Providers } from './features/oauth2/providers.ts'
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
  log: Logger
  /** Strictly increasing, microseconds. */
  now(): string
  newId(): string
  secrets: Secrets
  apiKeys: ApiKeys
  /** Where passwords are hashed: in a running server's main thread, by a thread that does nothing else. */
  passwords: Passwords
  /** At passwords; each process counts its own. */
  attempts: Attempts
  /** Notes sign-ins and wrong passwords for the audit log, without waiting for it. */
  signIns: SignInLog
  proxies: TrustedProxies
  /** Whether requests should be sent to this process. */
  readiness: Readiness
  /** With which people can sign in; only the main thread asks them. */
  providers: Providers
  subscribers: readonly Subscriber[]
  /** What open event streams are told. */
  live: LiveSource
  /** What transactions that share a commit leave to be stored before it; null for those that commit alone. */
  left: Left[] | null
  /** Runs `work` once what is being written is committed: at once, or when the group of writes it belongs to is. */
  afterCommit(work: () => void): void
}

/** Of a request by anybody. */
export interface OpenContext extends Context {
  requestId: string
  sender: Sender
}

export interface RequestContext extends OpenContext {
  actor: Actor
}
