import type { Config } from '../config.ts'
import { checkPostgres } from './check-postgres.ts'
import { listTables } from './migrate.ts'
import { openDatabase } from './open-database.ts'

/**
 * Whether the database is one of ours and somebody can sign in to it. Reads it for the first time, so a damaged one, or one that
 * cannot be reached, shows.
 */
export async function hasStoredUsers(config: Config): Promise<boolean> {
  const db = openDatabase(config, { user: 'command', readonly: true, cacheMb: 1 })
  try {
    await checkPostgres(db)
    const tables = await listTables(db)
    if (!['revisions', 'users'].every(name => tables.includes(name))) return false
    return (await db.sql.get('select 1 from users limit 1')) !== undefined
  } finally {
    await db.close()
  }
}
