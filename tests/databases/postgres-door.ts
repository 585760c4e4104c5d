/**
 * One PostgreSQL for a whole test run, started when the first test asks for it.
 *
 * The process that starts the tests listens on a path that cannot be guessed. Its URL is in the environment of all processes of the
 * run, and a `GET` answers the URL of the server. A run that needs no PostgreSQL starts none.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type PostgresServer, startPostgres } from '../../packages/server/src/testing/postgres-server.ts'

/** Tests need no durability, and use many databases at a time. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '400', shared_buffers: '128MB' }

export interface PostgresDoor {
  /** Value of `POSTIL_TEST_POSTGRES_DOOR` for processes that run tests. */
  url: string
  /** Stops the server, if it was started. */
  close(): Promise<void>
}

export async function openPostgresDoor(): Promise<PostgresDoor> {
  const path = `/${randomBytes(24).toString('hex')}`
  let started: Promise<PostgresServer> | null = null
  const http = createServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end()
    started ??= startPostgres({ settings: SETTINGS })
    started.then(
      server => response.end(server.url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  // Nothing else keeps a process alive that ends without closing it.
  http.unref()
  const close = async () => {
    http.closeAllConnections()
    http.close()
    // A server that did not start has told its error to those who asked.
    const server = await started?.catch(() => null)
    await server?.stop()
  }
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`, close }
}
