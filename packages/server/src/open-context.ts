import { pino, stdSerializers } from 'pino'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { NO_LIVE_SOURCE } from './events/live-source.ts'
import { SUBSCRIBERS } from './events/subscribers/all.ts'
import { NO_SIGN_IN_LOG } from './features/audit-log/sign-in-log.ts'
import { createProviders } from './features/oauth2/providers.ts'
import { createTallies } from './features/overview/tallies.ts'
import { createReadiness } from './health/readiness.ts'
import { createTrustedProxies } from './lib/addresses.ts'
import { openAttempts } from './lib/attempts.ts'
import { openClock } from './lib/clock.ts'
import { openPasswords } from './lib/password.ts'
import { createApiKeys, type Secrets } from './lib/secrets.ts'
import { createIdGenerator } from './lib/uuid.ts'
import { openElasticEngine } from './search/elastic/engine.ts'
import { createEmbeddedEngine } from './search/embedded/engine.ts'
import type { SearchEngine } from './search/engine.ts'
import type { Database } from './storage/database.ts'
import { openDatabase } from './storage/open-database.ts'
import type { DatabaseUser } from './storage/pool-shares.ts'

export interface ContextOptions {
  config: Config
  secrets: Secrets
  /** The thread that opens the database; by default a command. */
  user?: DatabaseUser
  /** Only the writer thread and the command line write. */
  readonly: boolean
  cacheMb: number
  /** Called before every statement; an error it throws aborts the work. */
  beforeStatement?: () => void
  /** Called repeatedly while an index is loaded. */
  onIndexLoad?: () => void
}

export function openContext(options: ContextOptions): Context {
  const { config, secrets, user = 'command', readonly, cacheMb, beforeStatement, onIndexLoad } = options
  const db = openDatabase(config, { user, readonly, cacheMb, beforeStatement })
  return createContext({ config, secrets, db, onIndexLoad })
}

interface ContextParts {
  config: Config
  secrets: Secrets
  db: Database
  onIndexLoad?: (() => void) | undefined
}

/** Creates a context with a database that is already open. */
export function createContext({ config, secrets, db, onIndexLoad }: ContextParts): Context {
  const log = pino({ level: config.logLevel, serializers: { err: withoutValues } })
  const search = openEngine({ config, db, log, onIndexLoad })
  return {
    config,
    db,
    search,
    tallies: createTallies(),
    log,
    readiness: createReadiness({ db, search, log }),
    now: openClock(),
    newId: createIdGenerator(),
    secrets,
    apiKeys: createApiKeys(secrets),
    passwords: openPasswords(),
    attempts: openAttempts(),
    signIns: NO_SIGN_IN_LOG,
    proxies: createTrustedProxies(config.trustedProxies),
    providers: createProviders(config.oauth),
    subscribers: SUBSCRIBERS,
    live: NO_LIVE_SOURCE,
    deferred: null,
    afterCommit: work => work(),
  }
}

interface EngineParts extends Pick<ContextParts, 'config' | 'db' | 'onIndexLoad'> {
  log: Context['log']
}

function openEngine({ config, db, log, onIndexLoad }: EngineParts): SearchEngine {
  if (config.elastic)
    return openElasticEngine({ db, config: config.elastic, log, ...(onIndexLoad && { onWait: onIndexLoad, isFollowed: true }) })
  const bytesMax = config.searchMemoryBytes / config.readerThreads
  return createEmbeddedEngine({ db, bytesMax, ...(onIndexLoad && { onLoad: onIndexLoad }) })
}

/** PostgreSQL quotes rows and keys in these two. */
function withoutValues(error: Error): object {
  const { detail, where, ...shown } = stdSerializers.err(error) as ReturnType<typeof stdSerializers.err> & {
    detail?: unknown
    where?: unknown
  }
  return shown
}
