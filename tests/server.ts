/** A real server for tests: a child process on a free port, with a separate home folder and one owner. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dropDatabase, makeDatabase } from './databases/postgres.ts'
import { dropIndexes, engineSettingsOf } from './engines/settings.ts'
import { MAIN } from './main-file.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_TIMEOUT_MS = 300_000

export interface StartedServer {
  /** Without a trailing slash. */
  url: string
  apiKey: string
  username: string
  password: string
  /** Name of its first workspace. */
  workspace: string
  home: string
  /** URL of its PostgreSQL database; null on SQLite. */
  databaseUrl: string | null
  /** Its settings, for commands that run on the same data. */
  env: Record<string, string>
  pid: number
  /** Returns the output of both streams so far. */
  output(): string
  /**
   * Stops it if it is still running, and returns its exit code: -1 after `kill`. Deletes the home folder and its database unless
   * the folder was passed in.
   */
  close(): Promise<number>
  /** Kills it like a power failure. The home folder stays until `close`. */
  kill(): Promise<void>
}

/** Tests must not use the public hub. */
const NO_HUB = { SERVICE_HUB_URL: 'http://127.0.0.1:9' }

const OWNER = { USERNAME: 'owner', PASSWORD: 'owner-password', API_KEY: 'owner.apikey', WORKSPACE: 'default' }

interface StartOptions {
  /** Additional settings, which may override those of the owner. */
  env?: Record<string, string>
  /** Home folder of an earlier server. The caller must delete it. */
  home?: string
  /** Defaults to a free port. */
  port?: number
  /** Shell commands to run before the server, such as `ulimit -f 4096`. */
  shell?: string
  /** Additional command-line options. */
  args?: string[]
}

export async function startServer(options: StartOptions = {}): Promise<StartedServer> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'postil-server-')))
  const databaseUrl = options.env?.SERVICE_DATABASE_URL === undefined ? await makeDatabase(home) : null
  const database = databaseUrl === null ? {} : { SERVICE_DATABASE_URL: databaseUrl }
  const engine = options.env?.SERVICE_SEARCH_ENGINE === undefined ? engineSettingsOf(home) : {}
  const given = { ...OWNER, ...NO_HUB, ...database, ...engine, ...options.env }
  const command = [process.execPath, MAIN, 'start', '--port', String(options.port ?? 0), ...(options.args ?? [])]
  const [file = '', ...args] = options.shell ? ['sh', '-c', `${options.shell}; exec "$0" "$@"`, ...command] : command
  const child = spawn(file, args, {
    cwd: ROOT,
    // Only the path is inherited from the caller's environment, so that local settings do not change a test.
    env: { PATH: process.env.PATH, SERVICE_HOME_PATH: home, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  // An aborted test run must not leave servers behind.
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)

  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
    process.off('exit', killAtExit)
  }
  const close = async (signal: NodeJS.Signals = 'SIGTERM') => {
    await end(signal)
    if (options.home === undefined) {
      await rm(home, { recursive: true, force: true })
      if (databaseUrl !== null) await dropDatabase(home)
      await dropIndexes(home)
    }
    return child.exitCode ?? -1
  }
  const url = await waitForUrl(child, () => output).catch(async (error: Error) => {
    await close('SIGKILL')
    throw error
  })
  return {
    url,
    home,
    databaseUrl,
    env: { SERVICE_HOME_PATH: home, ...given },
    pid: child.pid ?? 0,
    apiKey: given.API_KEY,
    username: given.USERNAME,
    password: given.PASSWORD,
    workspace: given.WORKSPACE,
    output: () => output,
    close: () => close(),
    kill: () => end('SIGKILL'),
  }
}

/**
 * Kills a server and deletes its data. A normal stop waits up to five seconds for connections that a test has left open; tests of
 * stopping call `close`.
 */
export async function discard(server: Pick<StartedServer, 'kill' | 'close'>): Promise<void> {
  await server.kill()
  await server.close()
}

/** Waits for the line that it prints when it is ready. */
function waitForUrl(child: ChildProcess, output: () => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (what: string) => reject(new Error(`The server ${what}. It printed:\n${output()}`))
  const timer = setTimeout(() => fail(`was not ready within ${START_TIMEOUT_MS / 1000} seconds`), START_TIMEOUT_MS)
  // `close` is emitted after the last output, so that the error can show it.
  child.once('close', code => fail(`ended with code ${code}`))
  child.stdout?.on('data', () => {
    const url = /Postil serves at (\S+?)\/?\n/.exec(output())?.[1]
    if (url !== undefined) resolve(url)
  })
  return promise.finally(() => clearTimeout(timer))
}
