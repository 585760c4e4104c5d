/**
 * Migrated PostgreSQL databases for tests: copies of a template that the first test of the run makes. It stays on a server that
 * outlives the run (`POSTIL_TEST_POSTGRES_URL`).
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openClock } from '../lib/clock.ts'
import { migrate } from '../storage/migrate.ts'
import { openPostgres } from '../storage/postgres.ts'
import { createDatabase, loadPostgresUrl, toDatabase } from './run-postgres.ts'

let template: Promise<string> | null = null

/** Returns the URL of a database of its own. */
export async function createMigratedDatabase(): Promise<string> {
  template ??= makeTemplate(await loadPostgresUrl())
  return createDatabase({ copyOf: await template })
}

/** Arbitrary, the same in all processes of a run. */
const TEMPLATE_LOCK = 4_718_390_127

async function makeTemplate(server: string): Promise<string> {
  const name = `postil_template_${hashMigrations()}`
  const url = toDatabase(server, name)
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rows } = await client.query('select datistemplate from pg_database where datname = $1', [name])
    if (rows[0]?.datistemplate === true) return url
    // Left by a run that was stopped meanwhile.
    if (rows.length > 0) await client.query(`drop database ${name} with (force)`)
    await client.query(`create database ${name}`)
    await migrateDatabase(url)
    await client.query(`alter database ${name} is_template true`)
    return url
  } finally {
    await client.end()
  }
}

async function migrateDatabase(url: string): Promise<void> {
  const db = openPostgres({ url, poolSize: 2 })
  try {
    await migrate(db, 'head', openClock())
  } finally {
    await db.close()
  }
}

/** A server that outlives a run may hold the template of other migrations. */
function hashMigrations(): string {
  const folder = join(import.meta.dirname, '../storage/migrations')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}
