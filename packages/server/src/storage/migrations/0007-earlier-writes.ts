/** Idempotency keys of writes whose drafts were replaced by later drafts, so that a late retry has no effect. */
import type { Queryable } from '../database.ts'

const TABLES = ['responses', 'response_history']

export async function up(db: Queryable): Promise<void> {
  for (const table of TABLES) await db.sql.run(`alter table ${table} add column earlier_write_ids text`)
}

export async function down(db: Queryable): Promise<void> {
  for (const table of TABLES) await db.sql.run(`alter table ${table} drop column earlier_write_ids`)
}
