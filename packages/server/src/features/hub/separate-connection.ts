import type { Context } from '../../context.ts'
import type { Database } from '../../storage/database.ts'
import { openDatabase } from '../../storage/open-database.ts'

/** Opens a separate connection on SQLite, because a snapshot belongs to a connection and other jobs read concurrently. */
export async function withSeparateConnection<T>(ctx: Context, work: (db: Database) => Promise<T>): Promise<T> {
  if (ctx.db.dialect.name !== 'sqlite') return work(ctx.db)
  const db = openDatabase(ctx.config, { user: 'hub', readonly: true, cacheMb: 4 })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
