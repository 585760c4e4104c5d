import type { Database } from './database.ts'

/** Lets SQLite read every page. Returns what it finds first; null if nothing is wrong. PostgreSQL checks its pages itself. */
export async function findDamage(db: Database): Promise<string | null> {
  if (db.dialect.name !== 'sqlite') return null
  const [found] = await db.sql.all<{ integrity_check: string }>('pragma integrity_check(1)')
  return found?.integrity_check === 'ok' ? null : (found?.integrity_check ?? 'SQLite says nothing').replace(/\s+/g, ' ')
}
