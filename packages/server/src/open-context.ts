import { pino } from 'pino'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { NOTHING_LIVE } from './events/live-source.ts'
import { SUBSCRIBERS } from './events/subscribers/all.ts'
import { NO_SIGN_IN_LOG } from './features/audit-log/sign-in-log.ts'
import { openProviders } from './features/oauth2/providers.ts'
import { openReadiness } from './health/readiness.ts'
import { openTrustedProxies } from './lib/addresses.ts'
import { openAttempts } from './lib/attempts.ts'
import { openClock } from './lib/clock.ts'
import { openPasswords } from './lib/password.ts'
import { openApiKeys, type Secrets } from './lib/secrets.ts'
import { openIds } from './lib/uuid.ts'
import { openElasticEngine } from './search/elastic/engine.ts'
import { openEmbeddedEngine } from './search/embedded/engine.ts'
import type { SearchEngine } from './search/engine.ts'
import type { Database } from './storage/database.ts'
import { openDatabase } from './storage/open-database.ts'
import type { DatabaseUser } from './storage/pool-shares.ts'

export interface ContextOptions {
  config: Config
  secrets: Secrets
  /** The thread that opens it; a command unless given. */
  user?: DatabaseUser
  /** Only the writer thread and the command line write. */
  readonly: boolean
  cacheMb: number
  /** Called before every statement; what it throws ends the work. */
  beforeStatement?: () => void
  /** Called again and again while an index is loaded. */
  onIndexLoad?: () => void
}

export function openContext(options: ContextOptions): Context {
  const { config, secrets, user = 'command', readonly, cacheMb, beforeStatement, onIndexLoad } = options
  const db = openDatabase(config, { user, readonly, cacheMb, beforeStatement })
  return contextWith({ config, secrets, db, onIndexLoad })
}

interface ContextParts {
  config: Config
  secrets: Secrets
  db: Database
  onIndexLoad?: (() => void) | undefined
}

/** A context over a database that is open already. */
export function contextWith({ config, secrets, db, onIndexLoad }: ContextParts): Context {
  const log = pino({ level: config.logLevel })
  const search = openEngine({ config, db, log, onIndexLoad })
  return {
    config,
    db,
    search,
    log,
    readiness: openReadiness({ db, search, log }),
    now: openClock(),
    newId: openIds(),
    secrets,
    apiKeys: openApiKeys(secrets),
    passwords: openPasswords(),
    attempts: openAttempts(),
    signIns: NO_SIGN_IN_LOG,
    proxies: openTrustedProxies(config.trustedProxies),
    providers: openProviders(config.oauth),
    subscribers: SUBSCRIBERS,
    live: NOTHING_LIVE,
    left: null,
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
  return openEmbeddedEngine({ db, bytesMax, ...(onIndexLoad && { onLoad: onIndexLoad }) })
}
