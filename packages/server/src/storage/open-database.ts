import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { connectionsOf, type DatabaseUser } from './pool-shares.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export interface DatabaseOptions {
  user: DatabaseUser
  readonly: boolean
  /** Page cache of SQLite. */
  cacheMb: number
  /** Called before every statement of `Sql`; may throw to abort. */
  beforeStatement?: (() => void) | undefined
}

/** Opens the configured database, SQLite or PostgreSQL. */
export function openDatabase(config: Config, { user, readonly, cacheMb, beforeStatement }: DatabaseOptions): Database {
  if (config.databaseUrl === null) {
    return openSqlite({
      path: config.databaseFile,
      readonly,
      synchronous: config.sqliteSynchronous,
      busyTimeoutMs: config.sqliteTimeoutSeconds * 1000,
      cacheMb,
      countsCommits: user === 'writer',
      ...(beforeStatement === undefined ? {} : { beforeStatement }),
    })
  }
  return openPostgres({
    url: config.databaseUrl,
    poolSize: connectionsOf(user, config),
    readonly,
    name: `postil ${user}`,
    // Migrations and index builds of commands have no time limit.
    statementTimeoutMs: user === 'command' ? 0 : config.postgresTimeoutSeconds * 1000,
    isPrepared: user !== 'command',
    beforeStatement,
  })
}
