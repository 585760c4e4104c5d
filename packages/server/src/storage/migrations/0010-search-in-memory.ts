/**
 * Searches use an index in memory that follows the change log. The look-up tables, the text index inside the database and the jobs that
 * filled them go: all of it is derived from records. The way back leaves them empty, so the older release has to fill them again
 * (`search-engine reindex`).
 */
import type { Queryable } from '../database.ts'
import { createLookUpTables, dropTextIndexes } from './0001-first.ts'

export async function up(db: Queryable): Promise<void> {
  await dropTextIndexes(db)
  for (const table of ['metadata_terms', 'metadata_numbers', 'suggestion_terms', 'response_terms']) {
    await db.sql.run(`drop table ${table}`)
  }
  // Whoever wrote records in between stored no segments: the next start builds all of them.
  await db.sql.run('delete from text_segments')
  await db.sql.run("delete from jobs where name in ('reindex-answers', 'reindex-metadata')")
}

export async function down(db: Queryable): Promise<void> {
  await createLookUpTables(db)
}
