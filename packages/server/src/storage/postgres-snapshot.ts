/** Snapshot of a PostgreSQL database that other connections and programs can read too. */
import pg from 'pg'
import { OperatorError } from '../lib/operator-error.ts'
import { ignoreError } from './postgres-connections.ts'
import { withCode } from './postgres-errors.ts'

export interface PostgresSnapshot {
  /** Snapshot id, with which `pg_dump` reads the same state. */
  id: string
  /** Schema that contains the tables. */
  schema: string
  /** Newest revision of the schema. */
  revision: string
  /** Server version, for example `18.4`. */
  version: string
  major: number
  countRows(): Promise<Map<string, number>>
  close(): Promise<void>
}

const CONNECT_MS_MAX = 10_000

/** Holds the snapshot until it is closed, without a time limit. */
export async function openPostgresSnapshot(url: string): Promise<PostgresSnapshot> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'postil command',
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
  })
  client.on('error', ignoreError)
  const all = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows
  try {
    await client.connect()
    await client.query('set idle_in_transaction_session_timeout = 0; set statement_timeout = 0')
    await client.query('begin isolation level repeatable read read only')
    const [facts] = await all<Omit<PostgresSnapshot, 'major' | 'revision'> & { number: number }>(
      `select pg_export_snapshot() as id, current_schema() as schema, current_setting('server_version_num')::int as number,
         split_part(current_setting('server_version'), ' ', 1) as version`,
    )
    if (!facts) throw new Error('PostgreSQL does not tell its version')
    const tables = (await all<{ name: string }>(LIST_TABLES)).map(({ name }) => name)
    if (!tables.includes('revisions')) {
      throw new OperatorError(
        tables.length === 0
          ? 'The database is empty: there is nothing to back up. SERVICE_DATABASE_URL names the database.'
          : 'The database holds tables of another program, and none of Postil. SERVICE_DATABASE_URL names the database.',
      )
    }
    const [newest] = await all<{ name: string | null }>('select max(name) as name from revisions')
    const { id, schema, version, number } = facts
    const countRows = async () => {
      const rows = new Map<string, number>()
      for (const table of tables) {
        const [found] = await all<{ rows: string }>(`select count(*) as rows from ${pg.escapeIdentifier(table)}`)
        rows.set(table, Number(found?.rows))
      }
      return rows
    }
    const revision = newest?.name ?? 'base'
    return { id, schema, version, revision, major: Math.floor(number / 10_000), countRows, close: () => client.end() }
  } catch (error) {
    await client.end()
    throw withCode(error)
  }
}

/** Tables of the current schema, except those of extensions. */
export const LIST_TABLES = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  order by relname`
