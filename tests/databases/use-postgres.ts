/** PostgreSQL databases for the tests of one file, even if the others run on SQLite. */
import { afterAll } from 'vitest'
import { createDatabase, dropDatabase } from '../../packages/server/src/testing/run-postgres.ts'

/** `npm test` lists what cannot run on the machine, such as PostgreSQL. */
export const HAS_POSTGRES = !(process.env.POSTIL_TEST_LEFT_OUT ?? '').split(',').includes('postgres')

export interface OwnDatabases {
  /** Creates an empty database and returns its URL. */
  newDatabase(): Promise<string>
}

/** The server is that of the whole run: tests may look at their own database only. */
export function usePostgres(): OwnDatabases {
  const urls: string[] = []
  afterAll(async () => {
    for (const url of urls.splice(0)) await dropDatabase(url)
  })
  return {
    newDatabase: async () => {
      const url = await createDatabase({ isMigrated: false })
      urls.push(url)
      return url
    },
  }
}
