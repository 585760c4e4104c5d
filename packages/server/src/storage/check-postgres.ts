import { OperatorError } from '../lib/operator-error.ts'
import type { Queryable } from './database.ts'

/** PostgreSQL 14. */
const VERSION_MIN = 140_000

/** Version and settings of a PostgreSQL server. */
export interface PostgresFacts {
  /** For example 160004. */
  number: number
  /** For example `16.4 (Debian 16.4-1)`. */
  version: string
  encoding: string
  is_standby: boolean
  /** `on` if transactions of this user in this database are read-only by default. */
  read_only: string
}

/** Rejects a server that is too old, an encoding that cannot store every text, and a read-only database. */
export async function checkPostgres({ dialect, sql }: Queryable): Promise<void> {
  if (dialect.name !== 'postgres') return
  // `reset_val` is the value set by the server, the database or the user, regardless of the settings of this connection.
  const text = `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
    current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby,
    (select reset_val from pg_settings where name = 'default_transaction_read_only') as read_only`
  const facts = await sql.get<PostgresFacts>(text)
  if (!facts) throw new Error('PostgreSQL does not tell its version')
  const problem = findPostgresProblem(facts)
  if (problem !== null) throw new OperatorError(problem)
}

/** Returns why this server cannot be used and how to fix that, or null. */
export function findPostgresProblem({ number, version, encoding, is_standby, read_only }: PostgresFacts): string | null {
  if (number < VERSION_MIN) {
    return `The database is PostgreSQL ${version}, and this release needs PostgreSQL 14 or newer. Upgrade it.`
  }
  if (encoding !== 'UTF8') {
    return `The encoding of the database is ${encoding}, which cannot store every text. Create one with UTF8: \`createdb --encoding=UTF8 --template=template0 <name>\`.`
  }
  if (is_standby)
    return 'The database is a standby, which cannot be written to. Point SERVICE_DATABASE_URL to the primary server.'
  if (read_only === 'on') {
    return 'The database is set to read-only: default_transaction_read_only is on. Turn it off where it was set, such as with `alter database <name> reset default_transaction_read_only`.'
  }
  return null
}
