import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { connectionsOf, type DatabaseUser } from './pool-shares.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export interface DatabaseOptions {
  user: DatabaseUser
  readonly: boolean
  /** SQLite: memory for pages of the file. */
  cacheMb: number
  /** Called before every statement of `Sql`; what it throws ends the work. */
  beforeStatement?: (() => void) | undefined
}

/** Opens the database of the settings, whichever it is. */
export function openDatabase(config: Config, { user, readonly, cacheMb, beforeStatement }: DatabaseOptions): Database {
  if (config.databaseUrl === null) {
    return openSqlite({
      path: config.databaseFile,
      readonly,
      synchronous: config.sqliteSynchronous,
      busyTimeoutMs: config.sqliteTimeoutSeconds * 1000,
      cacheMb,
      ...(beforeStatement === undefined ? {} : { beforeStatement }),
    })
  }
  return openPostgres({
    url: config.databaseUrl,
    poolSize: connectionsOf(user, config),
    readonly,
    name: `postil ${user}`,
    // Migrations and indexes of a command take as long as they take.
    statementTimeoutMs: user === 'command' ? 0 : config.postgresTimeoutSeconds * 1000,
    isPrepared: user !== 'command',
    beforeStatement,
  })
}
