/**
 * What a migration down deletes. The schema of the older revision is built in memory and compared with the one that stands, so
 * that no migration has to declare it.
 */
import type { Queryable } from './database.ts'
import { listTables, MIGRATIONS, migrate, planMigration } from './migrate.ts'
import { openSqlite } from './sqlite.ts'

export interface Loss {
  table: string
  /** Null: the whole table. */
  column: string | null
  /** How many rows have something there. */
  rows: number
}

/** Tables of the text index hold nothing that is not in the records. */
const INDEX_TABLE = /^text_(segments$|[0-9a-f]{32})/

/** What migrations write back into the tables of the older revision, and what they make again of what it keeps. */
export const MOVED_BACK = new Set([
  'record_fields',
  'records.dataset_no',
  'responses.dataset_no',
  'dataset_heads.no',
  // The log names deleted records too.
  'deleted_records',
])

/** The tables and columns with content that `target` does not have; none when it is not older. */
export async function listLosses(db: Queryable, target: string): Promise<Loss[]> {
  const { down } = await planMigration(db, target)
  const oldest = down.at(-1)
  if (!oldest) return []
  const older = await buildSchema(MIGRATIONS[MIGRATIONS.indexOf(oldest) - 1]?.name ?? 'base')
  const losses: Loss[] = []
  for (const [table, columns] of await readSchema(db)) {
    const kept = older.get(table)
    if (!kept) losses.push({ table, column: null, rows: await countRows(db, table) })
    for (const column of kept ? columns.difference(kept) : []) {
      losses.push({ table, column, rows: await countRows(db, table, column) })
    }
  }
  return losses.filter(loss => loss.rows > 0 && !MOVED_BACK.has(nameOf(loss)))
}

export const nameOf = ({ table, column }: Loss): string => (column === null ? table : `${table}.${column}`)

type Schema = Map<string, Set<string>>

async function buildSchema(revision: string): Promise<Schema> {
  const db = openSqlite({ path: ':memory:', readonly: false, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1 })
  try {
    await migrate(db, revision, () => '')
    return await readSchema(db)
  } finally {
    await db.close()
  }
}

/** Names of columns by table, of all tables that hold content of their own. */
async function readSchema(db: Queryable): Promise<Schema> {
  const text =
    db.dialect.name === 'sqlite'
      ? 'select name from pragma_table_info(?) order by cid'
      : 'select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = ?'
  const schema: Schema = new Map()
  for (const table of await listTables(db)) {
    if (INDEX_TABLE.test(table)) continue
    schema.set(table, new Set((await db.sql.all<{ name: string }>(text, [table])).map(({ name }) => name)))
  }
  return schema
}

async function countRows(db: Queryable, table: string, column: string | null = null): Promise<number> {
  const filled = column === null ? '' : ` where "${column}" is not null`
  return (await db.sql.get<{ rows: number }>(`select count(*) as rows from "${table}"${filled}`))?.rows ?? 0
}
