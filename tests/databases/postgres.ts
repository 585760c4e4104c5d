/**
 * Databases for servers under test. With `POSTIL_TEST_DATABASE=postgres` every home folder has a PostgreSQL database named after
 * it, so that a server restarted on a folder finds its data.
 *
 * One PostgreSQL server is used for a whole test run (start-postgres.ts). `POSTIL_TEST_POSTGRES_URL` is its URL, or that of your
 * own server.
 */
import { createHash } from 'node:crypto'
import { runOn } from '../../packages/server/src/testing/postgres-server.ts'

/** Database for the tests, from the environment. */
export const TEST_DATABASE = process.env.POSTIL_TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

function serverUrl(): string {
  const url = process.env.POSTIL_TEST_POSTGRES_URL
  if (!url) throw new Error('POSTIL_TEST_POSTGRES_URL is not set: tests/databases/start-postgres.ts sets it for vitest')
  return url
}

const nameOf = (home: string) => `postil_${createHash('sha256').update(home).digest('hex').slice(0, 16)}`

/** Home folders whose databases were created here. */
const made = new Set<string>()

/** Returns the settings for commands that use the database of a server's home folder. */
export const databaseSettings = (home: string | undefined): { SERVICE_DATABASE_URL?: string } =>
  home !== undefined && made.has(home) ? { SERVICE_DATABASE_URL: toUrl(home) } : {}

function toUrl(home: string): string {
  const url = new URL(serverUrl())
  url.pathname = `/${nameOf(home)}`
  return url.href
}

/** Creates the database of a home folder unless it exists, and returns its URL; null on SQLite. */
export async function makeDatabase(home: string): Promise<string | null> {
  if (TEST_DATABASE === 'sqlite') return null
  const existing = await runOn(serverUrl(), `select 1 from pg_database where datname = '${nameOf(home)}'`)
  if (existing.length === 0) await runOn(serverUrl(), `create database ${nameOf(home)}`)
  made.add(home)
  return toUrl(home)
}

/** Works even if clients are connected. */
export async function dropDatabase(home: string): Promise<void> {
  if (TEST_DATABASE === 'postgres') await runOn(serverUrl(), `drop database if exists ${nameOf(home)} with (force)`)
}
