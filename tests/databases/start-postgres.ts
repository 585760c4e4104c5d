/** Starts one PostgreSQL server for a test run, if the tests use it. */
import { startPostgres } from '../../packages/server/src/testing/postgres-server.ts'

/** Tests need no durability, and start many servers. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '400', shared_buffers: '128MB' }

let stop: (() => Promise<void>) | null = null

/** Called by vitest before the first test. */
export async function setup(): Promise<void> {
  if (process.env.POSTIL_TEST_DATABASE !== 'postgres' || process.env.POSTIL_TEST_POSTGRES_URL) return
  const server = await startPostgres({ settings: SETTINGS })
  process.env.POSTIL_TEST_POSTGRES_URL = server.url
  stop = server.stop
}

/** Called by vitest after the last one. */
export async function teardown(): Promise<void> {
  await stop?.()
}
