/** Setup for tests that only apply to PostgreSQL, such as those with several processes. */
import { afterAll, beforeAll, describe } from 'vitest'
import type { Database } from '../../storage/database.ts'
import { isPostgresLeftOut, openTestPostgres } from '../../testing/databases.ts'
import { POSTGRES_START_MS } from '../../testing/run-postgres.ts'

interface OnPostgres {
  url(): string
  db(): Database
  /** Opens another handle, with its own connections. The caller closes it. */
  openAnother(): Database
}

/** The functions passed to `tests` work only while a test runs. The database is migrated and empty. */
export function describeOnPostgres(name: string, tests: (opened: OnPostgres) => void): void {
  describe.skipIf(isPostgresLeftOut)(`${name} on PostgreSQL`, () => {
    let opened: Awaited<ReturnType<typeof openTestPostgres>>
    beforeAll(async () => {
      opened = await openTestPostgres()
    }, POSTGRES_START_MS)
    afterAll(() => opened?.close())
    tests({ url: () => opened.url, db: () => opened.db, openAnother: () => opened.openAnother() })
  })
}
