/** A PostgreSQL server for the tests of one file, even if the others run on SQLite. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, runOn, startPostgres } from '../../packages/server/src/testing/postgres-server.ts'

/** `npm test` lists what cannot run on the machine, such as PostgreSQL. */
export const HAS_POSTGRES = !(process.env.POSTIL_TEST_LEFT_OUT ?? '').split(',').includes('postgres')

export interface OwnPostgres {
  port(): number
  /** Creates an empty database and returns its URL. */
  newDatabase(): Promise<string>
}

export function usePostgres(): OwnPostgres {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: '200', fsync: 'off' } })
  })
  afterAll(() => server?.stop())
  return {
    port: () => server.port,
    newDatabase: async () => {
      const name = `own_${randomBytes(6).toString('hex')}`
      await runOn(server.url, `create database ${name}`)
      return server.url.replace(/[^/]+$/, name)
    },
  }
}
