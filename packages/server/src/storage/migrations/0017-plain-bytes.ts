/**
 * PostgreSQL tries to compress long values. Text segments are packed already and vectors hardly shrink, so that storing them took longer
 * than writing all other rows of a bulk. SQLite does not compress. Values that are stored stay as they are; both kinds can be read.
 */
import type { Queryable } from '../database.ts'

const setStorage = async (db: Queryable, storage: 'external' | 'extended'): Promise<void> => {
  if (db.dialect.name !== 'postgres') return
  await db.sql.run(`alter table text_segments alter column bytes set storage ${storage}`)
  await db.sql.run(`alter table vectors alter column value set storage ${storage}`)
}

export const up = (db: Queryable) => setStorage(db, 'external')
export const down = (db: Queryable) => setStorage(db, 'extended')
