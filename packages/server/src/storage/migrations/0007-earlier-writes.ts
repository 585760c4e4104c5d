/** Names of writes whose drafts were replaced by drafts: a retry of one that comes late changes nothing. */
import type { Queryable } from '../database.ts'

const TABLES = ['responses', 'response_history']

export async function up(db: Queryable): Promise<void> {
  for (const table of TABLES) await db.sql.run(`alter table ${table} add column earlier_write_ids text`)
}

export async function down(db: Queryable): Promise<void> {
  for (const table of TABLES) await db.sql.run(`alter table ${table} drop column earlier_write_ids`)
}
