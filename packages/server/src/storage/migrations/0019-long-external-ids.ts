/** PostgreSQL cannot index more than about 2,700 bytes, and external ids may be longer, so the index contains their MD5 there. */
import type { Queryable } from '../database.ts'

const NAME = 'records_by_external_id'

async function replaceIndex(db: Queryable, definition: string): Promise<void> {
  if (db.dialect.name !== 'postgres') return
  await db.sql.run(`drop index ${NAME}`)
  await db.sql.run(`create unique index ${NAME} on records ${definition}`)
}

export const up = (db: Queryable) => replaceIndex(db, '(dataset_no, md5(external_id))')
export const down = (db: Queryable) => replaceIndex(db, '(dataset_no, external_id) where external_id is not null')
