import type { Database, Queryable } from '../../../storage/database.ts'

/** Wraps a database and counts the column blocks that are read through it. An index that is rebuilt reads some. */
export function countReads(db: Database): { db: Database; blocks(): number } {
  let blocks = 0
  const counted = (inner: Queryable): Queryable => ({
    ...inner,
    sql: {
      ...inner.sql,
      get: (text, params) => {
        if (text.includes('string_agg')) blocks++
        return inner.sql.get(text, params)
      },
    },
  })
  return { db: { ...db, snapshot: reads => db.snapshot(inner => reads(counted(inner))) }, blocks: () => blocks }
}
