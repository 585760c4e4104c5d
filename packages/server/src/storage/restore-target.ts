/** Target database of a restore on PostgreSQL: lists its tables and users, and moves its tables aside. */
import pg from 'pg'
import type { Database } from './database.ts'
import { LIST_TABLES } from './postgres-snapshot.ts'

export interface RestoreTarget {
  /** Current schema, in which tables are found and created. */
  schema: string
  tables: string[]
  /** Server version. */
  version: string
  major: number
}

const listTables = async (db: Database) => (await db.sql.all<{ name: string }>(LIST_TABLES)).map(({ name }) => name)

export async function findTarget(db: Database): Promise<RestoreTarget> {
  const facts = await db.sql.get<{ schema: string; version: string; number: number }>(
    `select current_schema() as schema, current_setting('server_version') as version,
       current_setting('server_version_num')::int as number`,
  )
  if (!facts) throw new Error('PostgreSQL does not tell its version')
  const { schema, version, number } = facts
  return { schema, version, major: Math.floor(number / 10_000), tables: await listTables(db) }
}

/** Lists the application names of connected servers and workers, without commands. */
export async function listServerConnections(db: Database): Promise<string[]> {
  const rows = await db.sql.all<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name like 'postil %' and application_name <> 'postil command' order by 1`,
  )
  return rows.map(({ name }) => name)
}

const OF_EXTENSION = (catalog: string) =>
  `exists (select 1 from pg_depend where classid = '${catalog}'::regclass and objid = o.oid and deptype = 'e')`

/** Timeout for locks that others hold on a table. */
const LOCK_WAIT = '10s'

/** Moves all tables, with their indexes and sequences, and all functions to a new schema; or back, and then drops that schema. */
export function moveTables(db: Database, { from, to }: { from: string; to: string }): Promise<void> {
  const name = pg.escapeIdentifier
  return db.transaction(async tx => {
    const isBack = to === (await tx.sql.get<{ schema: string }>('select current_schema() as schema'))?.schema
    // No timeout when moving back, because the transaction of an aborted restore may still be ending.
    if (!isBack) await tx.sql.run(`set local lock_timeout = '${LOCK_WAIT}'`)
    if (!isBack) await tx.sql.run(`create schema ${name(to)}`)
    const objects = await tx.sql.all<{ text: string }>(
      `select format('table %I.%I', ?::text, relname) as text from pg_class o
         where relnamespace = ?::regnamespace and relkind in ('r', 'p') and not ${OF_EXTENSION('pg_class')}
       union all
       select format('function %I.%I(%s)', ?::text, proname, pg_get_function_identity_arguments(oid)) from pg_proc o
         where pronamespace = ?::regnamespace and prokind = 'f' and not ${OF_EXTENSION('pg_proc')}`,
      [from, name(from), from, name(from)],
    )
    for (const { text } of objects) await tx.sql.run(`alter ${text} set schema ${name(to)}`)
    if (isBack) await tx.sql.run(`drop schema ${name(from)}`)
  })
}

export async function countTables(db: Database): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  for (const table of await listTables(db)) {
    const found = await db.sql.get<{ rows: number }>(`select count(*) as rows from ${pg.escapeIdentifier(table)}`)
    rows.set(table, Number(found?.rows))
  }
  return rows
}

/** Collects statistics, because the planner has none for restored tables. */
export async function analyzeTables(db: Database): Promise<void> {
  for (const table of await listTables(db)) await db.sql.run(`analyze ${pg.escapeIdentifier(table)}`)
}
