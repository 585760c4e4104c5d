import type { Config } from '../config.ts'
import { checkPostgres } from './check-postgres.ts'
import { listTables } from './migrate.ts'
import { openDatabase } from './open-database.ts'

/**
 * Returns true if the database belongs to Postil and has users. This is the first read of the database, so it throws if the
 * database is damaged or unreachable.
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
