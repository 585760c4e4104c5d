/**
 * Searches use an in-memory index that follows the change log. Removes the lookup tables, the text index in the database and the
 * jobs that filled them, because they are all derived from records. The downgrade creates them empty, so the older release must
 * fill them again (`search-engine reindex`).
 */
import type { Queryable } from '../database.ts'
import { createLookUpTables, dropTextIndexes } from './0001-first.ts'

export async function up(db: Queryable): Promise<void> {
  await dropTextIndexes(db)
  for (const table of ['metadata_terms', 'metadata_numbers', 'suggestion_terms', 'response_terms']) {
    await db.sql.run(`drop table ${table}`)
  }
  // Older releases may have written records without segments, so the next start rebuilds all of them.
  await db.sql.run('delete from text_segments')
  await db.sql.run("delete from jobs where name in ('reindex-answers', 'reindex-metadata')")
}

export async function down(db: Queryable): Promise<void> {
  await createLookUpTables(db)
}
