/**
 * Planner statistics of PostgreSQL. Autovacuum updates them only once a minute; until then a table that was just filled counts as
 * nearly empty, and a page of a list sorts all records of the dataset. Tables that have changed by half are therefore analyzed
 * here.
 */
import type { Queryable } from './database.ts'

/** Minimum number of changed rows. With fewer, even a plan that was made for an empty table and scans all rows is fast enough. */
const CHANGED_ROWS_MIN = 200
const LOOK_MS = 2_000

/** Analyzes one table. Returns false if none needs it, or if the last check was less than `LOOK_MS` ago. */
export function createStatisticsStep(db: Queryable): () => Promise<boolean> {
  let waiting: string[] = []
  let lookAt = 0
  return async () => {
    if (db.dialect.name !== 'postgres') return false
    if (waiting.length === 0 && performance.now() >= lookAt) {
      waiting = await listGrownTables(db)
      lookAt = performance.now() + LOOK_MS
    }
    const table = waiting.shift()
    if (table === undefined) return false
    await db.sql.run(`analyze ${table}`)
    return true
  }
}

function listGrownTables(db: Queryable): Promise<string[]> {
  const text = `select quote_ident(s.schemaname) || '.' || quote_ident(s.relname)
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_mod_since_analyze >= ? and s.n_mod_since_analyze >= 0.5 * greatest(c.reltuples, 0)
    order by 1`
  return db.sql.column(text, [CHANGED_ROWS_MIN])
}
