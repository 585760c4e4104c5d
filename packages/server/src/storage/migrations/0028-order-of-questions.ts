/** Order of questions, which leads can change. Initially all positions are equal, and questions are ordered by age. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  await db.sql.run('alter table questions add column position integer not null default 0')
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('alter table questions drop column position')
}
