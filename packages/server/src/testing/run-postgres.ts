/**
 * The PostgreSQL of a test run (tests/databases/postgres-door.ts), and databases on it.
 *
 * A migrated database is a copy of a template that the first test of the run makes. Databases are left when a test ends, because
 * they go with the server; one of your own, in `POSTIL_TEST_POSTGRES_URL`, keeps no more than the template.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openClock } from '../lib/clock.ts'
import { migrate } from '../storage/migrate.ts'
import { openPostgres } from '../storage/postgres.ts'
import { runOn } from './postgres-server.ts'

let asked: Promise<string> | null = null

/** Returns the URL of the run's server, and starts it if no test has used it yet. */
export function loadPostgresUrl(): Promise<string> {
  const { POSTIL_TEST_POSTGRES_URL: url, POSTIL_TEST_POSTGRES_DOOR: door } = process.env
  if (url) return Promise.resolve(url)
  if (!door) throw new Error('POSTIL_TEST_POSTGRES_DOOR is not set: tests/databases/start-postgres.ts sets it for vitest')
  asked ??= askDoor(door)
  return asked
}

async function askDoor(door: string): Promise<string> {
  const response = await fetch(door)
  const text = await response.text()
  if (!response.ok) throw new Error(`PostgreSQL did not start: ${text}`)
  return text
}

/** Creates a database with a name that no other has, and returns its URL. */
export async function createDatabase({ isMigrated }: { isMigrated: boolean }): Promise<string> {
  const url = await loadPostgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = isMigrated ? await loadTemplate(url) : null
  await runOn(url, `create database ${name}${template === null ? '' : ` template ${template}`}`)
  return toDatabase(url, name)
}

/** Works even if clients are connected. */
export async function dropDatabase(url: string): Promise<void> {
  await runOn(await loadPostgresUrl(), `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

export function toDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

let template: Promise<string> | null = null

function loadTemplate(url: string): Promise<string> {
  template ??= makeTemplate(url)
  return template
}

/** Arbitrary, the same in all processes of a run. */
const TEMPLATE_LOCK = 4_718_390_127

async function makeTemplate(url: string): Promise<string> {
  const name = `postil_template_${hashMigrations()}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rows } = await client.query('select datistemplate as done from pg_database where datname = $1', [name])
    if (rows[0]?.done === true) return name
    // Left by a run that ended meanwhile.
    if (rows.length > 0) await client.query(`drop database ${name} with (force)`)
    await client.query(`create database ${name}`)
    await migrateDatabase(toDatabase(url, name))
    await client.query(`alter database ${name} is_template true`)
    return name
  } finally {
    await client.end()
  }
}

async function migrateDatabase(url: string): Promise<void> {
  const db = openPostgres({ url, poolSize: 2 })
  await migrate(db, 'head', openClock())
  await db.close()
}

/** A server that outlives a run may hold the template of other migrations. */
function hashMigrations(): string {
  const folder = join(import.meta.dirname, '../storage/migrations')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}
