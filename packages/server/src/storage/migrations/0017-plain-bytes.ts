/**
 * PostgreSQL tries to compress long values. Text segments are already compressed and vectors hardly shrink, and the attempt took
 * longer than writing all other rows of a bulk. SQLite does not compress. Existing values stay as they are; both forms can be
 * read.
 */
import type { Queryable } from '../database.ts'

const setStorage = async (db: Queryable, storage: 'external' | 'extended'): Promise<void> => {
  if (db.dialect.name !== 'postgres') return
  await db.sql.run(`alter table text_segments alter column bytes set storage ${storage}`)
  await db.sql.run(`alter table vectors alter column value set storage ${storage}`)
}

export const up = (db: Queryable) => setStorage(db, 'external')
export const down = (db: Queryable) => setStorage(db, 'extended')
