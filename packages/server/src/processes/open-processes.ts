/** Resources that this process shares with others on the same database. With SQLite there are no others. */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Attempts, openAttempts } from '../lib/attempts.ts'
import { openPostgres } from '../storage/postgres.ts'
import { type Bus, type BusOptions, NO_BUS, openBus } from './bus.ts'
import { openSharedAttempts } from './shared-attempts.ts'

export function openBusOf({ databaseUrl }: Config, role: BusOptions['role'], log: Logger): Bus {
  return databaseUrl === null ? NO_BUS : openBus({ url: databaseUrl, role, log })
}

const STATEMENT_MS_MAX = 10_000

/** Uses its own connection, because the connection of the main thread is read-only. */
export function openAttemptsOf({ databaseUrl }: Config, bus: Bus, log: Logger): Attempts {
  if (databaseUrl === null) return openAttempts()
  const db = openPostgres({ url: databaseUrl, poolSize: 1, name: 'postil sign-ins', statementTimeoutMs: STATEMENT_MS_MAX })
  return openAttempts({ counts: openSharedAttempts({ db, log }), processes: bus.processes })
}
