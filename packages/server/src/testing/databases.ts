/**
 * Runs the same store tests on both databases, so that the code does not depend on the behaviour of one. PostgreSQL comes from an
 * npm package; if it cannot run, `npm test` reports it as left out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { openClock } from '../lib/clock.ts'
import type { Database } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { openPostgres } from '../storage/postgres.ts'
import { openSqlite } from '../storage/sqlite.ts'
import { startPostgres } from './postgres-server.ts'

interface Opened {
  db: Database
  /** Opens another handle to the same database, with its own connections. The caller closes it. */
  openAnother(): Database
  close(): Promise<void>
}

type Open = (folder: string) => Promise<Opened>

export const isPostgresLeftOut = (process.env.POSTIL_TEST_LEFT_OUT ?? '').split(',').includes('postgres')

const openers: [name: string, open: Open][] = [
  ['SQLite', openTestSqlite],
  ...(isPostgresLeftOut ? [] : ([['PostgreSQL', openTestPostgres]] as [string, Open][])),
]

/** `tests` gets a function that returns the migrated, empty database when the tests run, and one that opens it again. */
export function eachDatabase(tests: (db: () => Database, openAnother: () => Database) => void): void {
  for (const [name, open] of openers) {
    describe(`on ${name}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
      let opened: Opened
      beforeAll(async () => {
        opened = await open(folder)
        await migrate(opened.db, 'head', openClock())
      })
      afterAll(async () => {
        await opened.close()
        rmSync(folder, { recursive: true, force: true })
      })
      tests(
        () => opened.db,
        () => opened.openAnother(),
      )
    })
  }
}

async function openTestSqlite(folder: string): Promise<Opened> {
  const openAnother = () =>
    openSqlite({
      path: join(folder, 'test.db'),
      readonly: false,
      synchronous: 'normal',
      busyTimeoutMs: 1000,
      cacheMb: 8,
    })
  const db = openAnother()
  return { db, openAnother, close: () => db.close() }
}

export async function openTestPostgres(): Promise<Opened & { url: string }> {
  const server = await startPostgres()
  const openAnother = () => openPostgres({ url: server.url, poolSize: 4 })
  const db = openAnother()
  const close = async () => {
    await db.close()
    await server.stop()
  }
  return { db, openAnother, close, url: server.url }
}
