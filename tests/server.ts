/** A real server for tests: a child process on a free port, with a home folder of its own and one owner. */
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
  /** Without a slash at the end. */
  url: string
  apiKey: string
  username: string
  password: string
  /** Name of the workspace that it starts with. */
  workspace: string
  home: string
  /** Of its PostgreSQL database; null on SQLite. */
  databaseUrl: string | null
  /** Its settings, for commands that run on the same data. */
  env: Record<string, string>
  pid: number
  /** What it printed so far, both streams. */
  output(): string
  /** Asks it to stop, if it still runs, and answers its exit code: -1 after `kill`. Removes the home folder and its database, unless the folder was given. */
  close(): Promise<number>
  /** Ends it at once, as a power cut would. The home folder stays until `close`. */
  kill(): Promise<void>
}

const OWNER = { USERNAME: 'owner', PASSWORD: 'owner-password', API_KEY: 'owner.apikey', WORKSPACE: 'default' }

interface StartOptions {
  /** Settings beside those of the owner, which may be replaced too. */
  env?: Record<string, string>
  /** A folder that another server left behind. It stays yours to remove. */
  home?: string
  /** A free one unless given. */
  port?: number
  /** What a shell does before it becomes the server, such as `ulimit -f 4096`. */
  shell?: string
  /** More options of the command. */
  args?: string[]
}

export async function startServer(options: StartOptions = {}): Promise<StartedServer> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'postil-server-')))
  const databaseUrl = options.env?.SERVICE_DATABASE_URL === undefined ? await makeDatabase(home) : null
  const database = databaseUrl === null ? {} : { SERVICE_DATABASE_URL: databaseUrl }
  const given = { ...OWNER, ...database, ...engineSettingsOf(home), ...options.env }
  const command = [process.execPath, MAIN, 'start', '--port', String(options.port ?? 0), ...(options.args ?? [])]
  const [file = '', ...args] = options.shell ? ['sh', '-c', `${options.shell}; exec "$0" "$@"`, ...command] : command
  const child = spawn(file, args, {
    cwd: ROOT,
    // Nothing of the caller's environment but the path: a setting of theirs must not change a test.
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
  // A test run that is stopped must not leave servers behind.
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

/** The line that it prints once it answers. */
function waitForUrl(child: ChildProcess, output: () => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (what: string) => reject(new Error(`The server ${what}. It printed:\n${output()}`))
  const timer = setTimeout(() => fail(`was not ready within ${START_TIMEOUT_MS / 1000} seconds`), START_TIMEOUT_MS)
  // `close` comes after the last output, so that the error can show it.
  child.once('close', code => fail(`ended with code ${code}`))
  child.stdout?.on('data', () => {
    const url = /Postil serves at (\S+?)\/?\n/.exec(output())?.[1]
    if (url !== undefined) resolve(url)
  })
  return promise.finally(() => clearTimeout(timer))
}
