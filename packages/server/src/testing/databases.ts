/**
 * Runs the same store tests on both databases, so that the code does not depend on the behaviour of one. PostgreSQL comes from an
 * npm package; if it cannot run, `npm test` reports it as left out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Database } from '../storage/database.ts'
import { openPostgres } from '../storage/postgres.ts'
import { createMigratedDatabase } from './migrated-database.ts'
import { openTestFile, writeMigratedFile } from './migrated-file.ts'
import { dropDatabase, POSTGRES_START_MS } from './run-postgres.ts'

interface Opened {
  db: Database
  /** Opens another handle to the same database, with its own connections. The caller closes it. */
  openAnother(): Database
  close(): Promise<void>
}

type Open = () => Promise<Opened>

export const isPostgresLeftOut = (process.env.POSTIL_TEST_LEFT_OUT ?? '').split(',').includes('postgres')

const openers: [name: string, open: Open][] = [
  ['SQLite', openTestSqlite],
  ...(isPostgresLeftOut ? [] : ([['PostgreSQL', openTestPostgres]] as [string, Open][])),
]

/** `tests` gets a function that returns the migrated, empty database when the tests run, and one that opens it again. */
export function eachDatabase(tests: (db: () => Database, openAnother: () => Database) => void): void {
  for (const [name, open] of openers) {
    describe(`on ${name}`, () => {
      let opened: Opened
      beforeAll(async () => {
        opened = await open()
      }, POSTGRES_START_MS)
      afterAll(() => opened?.close())
      tests(
        () => opened.db,
        () => opened.openAnother(),
      )
    })
  }
}

async function openTestSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const path = join(folder, 'test.db')
  await writeMigratedFile(path)
  const openAnother = () => openTestFile(path)
  const db = openAnother()
  const close = async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { db, openAnother, close }
}

/** Opens a migrated database of its own on the PostgreSQL of the test run. */
export async function openTestPostgres(): Promise<Opened & { url: string }> {
  const url = await createMigratedDatabase()
  const openAnother = () => openPostgres({ url, poolSize: 4 })
  const db = openAnother()
  const close = async () => {
    await db.close()
    await dropDatabase(url)
  }
  return { db, openAnother, close, url }
}
