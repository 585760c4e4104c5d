/**
 * Databases for servers under test. With `POSTIL_TEST_DATABASE=postgres` every home folder has a PostgreSQL database named after
 * it, so that a server restarted on a folder finds its data.
 *
 * One PostgreSQL server is used for a whole test run (postgres-door.ts). `POSTIL_TEST_POSTGRES_URL` is the URL of your own server,
 * if you want the tests to use that.
 */
import { createHash } from 'node:crypto'
import { runOn } from '../../packages/server/src/testing/postgres-server.ts'
import { loadPostgresUrl, toDatabase } from '../../packages/server/src/testing/run-postgres.ts'

/** Database for the tests, from the environment. */
export const TEST_DATABASE = process.env.POSTIL_TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

const nameOf = (home: string) => `postil_${createHash('sha256').update(home).digest('hex').slice(0, 16)}`

/** URLs of the databases that were created here, by home folder. */
const made = new Map<string, string>()

/** Returns the settings for commands that use the database of a server's home folder. */
export function databaseSettings(home: string | undefined): { SERVICE_DATABASE_URL?: string } {
  const url = made.get(home ?? '')
  return url === undefined ? {} : { SERVICE_DATABASE_URL: url }
}

/** Creates the database of a home folder unless it exists, and returns its URL; null on SQLite. */
export async function makeDatabase(home: string): Promise<string | null> {
  if (TEST_DATABASE === 'sqlite') return null
  const server = await loadPostgresUrl()
  const existing = await runOn(server, `select 1 from pg_database where datname = '${nameOf(home)}'`)
  if (existing.length === 0) await runOn(server, `create database ${nameOf(home)}`)
  const url = toDatabase(server, nameOf(home))
  made.set(home, url)
  return url
}

/** Works even if clients are connected. */
export async function dropDatabase(home: string): Promise<void> {
  if (TEST_DATABASE === 'sqlite') return
  await runOn(await loadPostgresUrl(), `drop database if exists ${nameOf(home)} with (force)`)
  made.delete(home)
}
