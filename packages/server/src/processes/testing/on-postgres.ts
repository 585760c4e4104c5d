/** Tests of what only PostgreSQL has: several processes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
    let opened: Awaited<ReturnType<typeof openTestPostgres>>
    beforeAll(async () => {
      opened = await openTestPostgres(folder)
      await migrate(opened.db, 'head', openClock())
    })
    afterAll(async () => {
      await opened.close()
      rmSync(folder, { recursive: true, force: true })
    })
    tests({ url: () => opened.url, db: () => opened.db, openAnother: () => opened.openAnother() })
  })
}
