/** Tests of what only PostgreSQL has: several processes. */
import { afterAll, beforeAll, describe } from 'vitest'
import { openClock } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { migrate } from '../../storage/migrate.ts'
import { isPostgresLeftOut, openTestPostgres } from '../../testing/databases.ts'

interface OnPostgres {
  url(): string
  db(): Database
  /** Another handle, with connections of its own. The caller closes it. */
  openAnother(): Database
}

/** `tests` gets functions that answer once the tests run; the database is migrated and empty. */
export function describeOnPostgres(name: string, tests: (opened: OnPostgres) => void): void {
  describe.skipIf(isPostgresLeftOut)(`${name} on PostgreSQL`, () => {
    let opened: Awaited<ReturnType<typeof openTestPostgres>>
    beforeAll(async () => {
      opened = await openTestPostgres()
      await migrate(opened.db, 'head', openClock())
    })
    afterAll(() => opened.close())
    tests({ url: () => opened.url, db: () => opened.db, openAnother: () => opened.openAnother() })
  })
}
