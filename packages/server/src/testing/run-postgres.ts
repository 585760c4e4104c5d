/**
 * The PostgreSQL of a test run (tests/databases/postgres-door.ts), and databases on it. Imports little, because most tests that
 * may use it do not.
 */
import { randomBytes } from 'node:crypto'
import { runOn } from './postgres-server.ts'

/** Limit of hooks that may be the first to ask for the server: they wait until it runs, and a busy machine takes long to start it. */
export const POSTGRES_START_MS = 90_000

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

/**
 * Creates a database with a name that no other has, and returns its URL. It is empty, or a copy of the one at `copyOf`, which
 * nobody may be connected to.
 */
export async function createDatabase({ copyOf }: { copyOf?: string } = {}): Promise<string> {
  const server = await loadPostgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await runOn(server, `create database ${name}${copyOf === undefined ? '' : ` template ${nameOf(copyOf)}`}`)
  return toDatabase(server, name)
}

/** Works even if clients are connected. */
export async function dropDatabase(url: string): Promise<void> {
  await runOn(await loadPostgresUrl(), `drop database if exists ${nameOf(url)} with (force)`)
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

export function toDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
