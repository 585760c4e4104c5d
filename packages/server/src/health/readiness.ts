/**
 * Whether requests should be sent to this process: its threads run, it is not stopping, and it reaches a database of a schema that it can
 * work with. A search engine that is out of reach is reported and does not count: writes go on without it, and all processes share it, so that
 * a balancer would be left without any.
 */
import type { getReadiness } from '@postil/domain/api/health'
import type { RouteAnswer } from '@postil/domain/api/route'
import type { Logger } from 'pino'
import type { SearchEngine } from '../search/engine.ts'
import type { Queryable } from '../storage/database.ts'
import { MIGRATIONS } from '../storage/migrate.ts'
import { type CheckLimits, openKeptCheck } from './kept-check.ts'

type Report = RouteAnswer<typeof getReadiness>
type Checks = Report['checks']

export interface Readiness {
  read(): Promise<Report>
  /** Not ready from now on, while running requests are finished. */
  stop(): void
  readonly isStopping: boolean
  /** A thread that the process cannot work without has ended. */
  noteEndedThread(): void
}

const LIMITS: CheckLimits = { keepMs: 1_000, limitMs: 2_000 }

const DATABASE_LATE: Pick<Checks, 'database' | 'schema'> = { database: 'timeout', schema: 'unknown' }
const ENGINE_LATE: Pick<Checks, 'search_engine'> = { search_engine: 'timeout' }

interface Checked {
  db: Queryable
  search: Pick<SearchEngine, 'info'>
  log: Logger
  limits?: CheckLimits
}

export function openReadiness({ db, search, log, limits = LIMITS }: Checked): Readiness {
  const own: Pick<Checks, 'process' | 'threads'> = { process: 'ok', threads: 'ok' }
  const checkDatabase = openKeptCheck(() => readSchema(db, log), DATABASE_LATE, limits)
  const checkSearch = openKeptCheck(() => askEngine(search, log), ENGINE_LATE, limits)
  const tellChange = openTellChange(log)
  return {
    read: async () => {
      const checks: Checks = { ...own, ...(await checkDatabase()), ...(await checkSearch()) }
      const report = { status: toStatus(checks), checks }
      tellChange(report)
      return report
    },
    get isStopping() {
      return own.process === 'stopping'
    },
    stop: () => {
      own.process = 'stopping'
    },
    noteEndedThread: () => {
      own.threads = 'ended'
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

/** `newer`: another release has migrated the database while this process runs, as in a rolling upgrade. */
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

/** One line for each change, however often somebody asks. */
function openTellChange(log: Logger): (report: Report) => void {
  let last: Report['status'] = 'ready'
  return ({ status, checks }) => {
    if (status === last) return
    last = status
    if (status === 'ready') log.info({ status }, 'ready again')
    else log.warn({ status, ...checks }, 'not fully ready')
  }
}
