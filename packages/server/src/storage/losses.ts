/**
 * Lists the data that a downgrade deletes. Builds the schema of the older revision in memory and compares it with the current
 * one, so that migrations need not declare their losses.
 */
import type { Queryable } from './database.ts'
import { listTables, MIGRATIONS, migrate, planMigration } from './migrate.ts'
import { openSqlite } from './sqlite.ts'

export interface Loss {
  table: string
  /** Null for the whole table. */
  column: string | null
  /** Number of rows with a value. */
  rows: number
}

/** Tables of the text index contain only data that is derived from records. */
const INDEX_TABLE = /^text_(segments$|[0-9a-f]{32})/

/**
 * Tables and columns that are not lost, because migrations write them back into the older tables or can derive them from the
 * remaining data.
 */
export const NOT_LOST = new Set([
  'record_fields',
  'records.dataset_no',
  'responses.dataset_no',
  'dataset_heads.no',
  // The log contains the ids of deleted records too.
  'deleted_records',
  'users.username_skeleton',
  'workspaces.name_skeleton',
  // Only needed by in-memory indexes of task datasets.
  'legacy_datasets.change_no',
  'legacy_datasets.deleted_no',
  'legacy_records.change_no',
])

/** Lists the tables and columns with content that `target` does not have; empty if `target` is not older. */
export async function listLosses(db: Queryable, target: string): Promise<Loss[]> {
  const { down } = await planMigration(db, target)
  const oldest = down.at(-1)
  if (!oldest) return []
  const older = await buildSchema(MIGRATIONS[MIGRATIONS.indexOf(oldest) - 1]?.name ?? 'base')
  const losses: Loss[] = []
  for (const [table, columns] of await readSchema(db)) {
    const remaining = older.get(table)
    if (!remaining) losses.push({ table, column: null, rows: await countRows(db, table) })
    for (const column of remaining ? columns.difference(remaining) : []) {
      losses.push({ table, column, rows: await countRows(db, table, column) })
    }
  }
  return losses.filter(loss => loss.rows > 0 && !NOT_LOST.has(nameOfLoss(loss)))
}

export const nameOfLoss = ({ table, column }: Loss): string => (column === null ? table : `${table}.${column}`)

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

/** Returns column names by table, for all tables whose data is not derived. */
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
