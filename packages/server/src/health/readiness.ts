/**
 * Readiness: reports whether a load balancer should send requests to this process. It is ready if its threads run, it is not
 * stopping, and it reaches a database with a compatible schema. An unreachable search engine is reported as degraded, not as
 * unready: writes work without it, and all processes share it, so that a load balancer would have no process left.
 */
import type { getReadiness } from '@postil/domain/api/health'
import type { RouteAnswer } from '@postil/domain/api/route'
import type { Logger } from 'pino'
import type { SearchEngine } from '../search/engine.ts'
import type { Queryable } from '../storage/database.ts'
import { MIGRATIONS } from '../storage/migrate.ts'
import { type CheckLimits, createCachedCheck } from './cached-check.ts'

type Report = RouteAnswer<typeof getReadiness>
type Checks = Report['checks']

export interface Readiness {
  read(): Promise<Report>
  /** Reports unready from now on, while running requests are finished. */
  stop(): void
  readonly isStopping: boolean
  /** Reports unready from now on, because a required thread has ended. */
  noteEndedThread(): void
}

const LIMITS: CheckLimits = { keepMs: 1_000, limitMs: 2_000 }

const DATABASE_LATE: Pick<Checks, 'database' | 'schema'> = { database: 'timeout', schema: 'unknown' }
const ENGINE_LATE: Pick<Checks, 'search_engine'> = { search_engine: 'timeout' }

interface ReadinessSources {
  db: Queryable
  search: Pick<SearchEngine, 'info'>
  log: Logger
  limits?: CheckLimits
}

export function createReadiness({ db, search, log, limits = LIMITS }: ReadinessSources): Readiness {
  const local: Pick<Checks, 'process' | 'threads'> = { process: 'ok', threads: 'ok' }
  const checkDatabase = createCachedCheck(() => readSchema(db, log), DATABASE_LATE, limits)
  const checkSearch = createCachedCheck(() => askEngine(search, log), ENGINE_LATE, limits)
  const logChange = createChangeLogger(log)
  return {
    read: async () => {
      const checks: Checks = { ...local, ...(await checkDatabase()), ...(await checkSearch()) }
      const report = { status: toStatus(checks), checks }
      logChange(report)
      return report
    },
    get isStopping() {
      return local.process === 'stopping'
    },
    stop: () => {
      local.process = 'stopping'
    },
    noteEndedThread: () => {
      local.threads = 'ended'
    },
  }
}

function toStatus({ process, threads, database, schema, search_engine }: Checks): Report['status'] {
  const isReady = process === 'ok' && threads === 'ok' && database === 'ok' && (schema === 'ok' || schema === 'newer')
  if (!isReady) return 'unready'
  return search_engine === 'ok' ? 'ready' : 'degraded'
}

async function readSchema(db: Queryable, log: Logger): Promise<Pick<Checks, 'database' | 'schema'>> {
  try {
    const rows = await db.sql.all<{ name: string }>('select name from revisions order by name')
    return { database: 'ok', schema: compareSchema(rows.map(({ name }) => name)) }
  } catch (error) {
    log.debug({ err: error }, 'the database did not answer a check')
    return { database: 'failing', schema: 'unknown' }
  }
}

/** Returns `newer` if another release has migrated the database while this process runs, as in a rolling upgrade. */
function compareSchema(applied: readonly string[]): Checks['schema'] {
  const known = MIGRATIONS.map(({ name }) => name)
  if (known.some(name => !applied.includes(name))) return 'older'
  return applied.length > known.length ? 'newer' : 'ok'
}

async function askEngine(search: Pick<SearchEngine, 'info'>, log: Logger): Promise<Pick<Checks, 'search_engine'>> {
  try {
    const { status } = await search.info()
    return { search_engine: status === 'unavailable' ? 'failing' : 'ok' }
  } catch (error) {
    log.debug({ err: error }, 'the search engine did not answer a check')
    return { search_engine: 'failing' }
  }
}

/** Logs one line for each change of the status, however often it is read. */
function createChangeLogger(log: Logger): (report: Report) => void {
  let last: Report['status'] = 'ready'
  return ({ status, checks }) => {
    if (status === last) return
    last = status
    if (status === 'ready') log.info({ status }, 'ready again')
    else log.warn({ status, ...checks }, 'not fully ready')
  }
}
