import { OperatorError } from '../lib/operator-error.ts'
import type { Queryable } from './database.ts'

/** PostgreSQL 14. */
const VERSION_MIN = 140_000

/** Refuses a server that is too old, an encoding in which not every text can be stored, and a standby. */
export async function checkPostgres({ dialect, sql }: Queryable): Promise<void> {
  if (dialect.name !== 'postgres') return
  const text = `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
    current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby`
  const found = await sql.get<{ number: number; version: string; encoding: string; is_standby: boolean }>(text)
  if (!found) throw new Error('PostgreSQL does not tell its version')
  if (found.number < VERSION_MIN) {
    throw new OperatorError(
      `The database is PostgreSQL ${found.version}, and this release needs PostgreSQL 14 or newer. Upgrade it.`,
    )
  }
  if (found.encoding !== 'UTF8') {
    throw new OperatorError(
      `The encoding of the database is ${found.encoding}, which cannot store every text. Create one with UTF8: \`createdb --encoding=UTF8 --template=template0 <name>\`.`,
    )
  }
  if (found.is_standby) {
    throw new OperatorError(
      'The database is a standby, which cannot be written to. Point SERVICE_DATABASE_URL to the primary server.',
    )
  }
}
