/** Several processes on one PostgreSQL database, each with a separate home folder. They only share the settings. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { runOn } from '../packages/server/src/testing/postgres-server.ts'
import { createDatabase, dropDatabase } from '../packages/server/src/testing/run-postgres.ts'
import { MAIN } from './main-file.ts'

const isLeftOut = (process.env.POSTIL_TEST_LEFT_OUT ?? '').split(',').includes('postgres')

/** Skipped if PostgreSQL cannot run; `npm test` reports it then. */
export const describeProcesses = describe.skipIf(isLeftOut)

export interface SharedDatabase {
  /** Settings for all processes. */
  env: { SERVICE_DATABASE_URL: string; SERVICE_AUTH_SECRET_KEY: string; SERVICE_SEARCH_ENGINE: string }
  query(text: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Creates a database on the PostgreSQL of the test run. */
export async function openSharedDatabase(): Promise<SharedDatabase> {
  const url = await createDatabase({ isMigrated: false })
  return {
    env: {
      SERVICE_DATABASE_URL: url,
      SERVICE_AUTH_SECRET_KEY: 'a secret of the tests: 0123456789abcdef',
      // Embedded, because tests with a cluster use one index per home folder, and here several folders share a database.
      SERVICE_SEARCH_ENGINE: 'embedded',
    },
    query: text => runOn(url, text),
    close: () => dropDatabase(url),
  }
}

export interface StartedWorker {
  pid: number
  output(): string
  /** Returns the exit code; -1 after `kill`. */
  close(): Promise<number>
  kill(): Promise<void>
}

/** Starts `postil server worker`. */
export async function startWorker(env: Record<string, string>, args: string[] = []): Promise<StartedWorker> {
  const home = await mkdtemp(join(tmpdir(), 'postil-worker-'))
  const child = spawn(process.execPath, [MAIN, 'server', 'worker', ...args], {
    env: { PATH: process.env.PATH, SERVICE_HOME_PATH: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
    process.off('exit', killAtExit)
    await rm(home, { recursive: true, force: true })
    return child.exitCode ?? -1
  }
  await untilRunning(child, () => output)
  return { pid: child.pid ?? 0, output: () => output, close: () => end('SIGTERM'), kill: async () => void (await end('SIGKILL')) }
}

function untilRunning(child: ChildProcess, output: () => string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('close', code => reject(new Error(`The worker ended with code ${code}. It printed:\n${output()}`)))
  child.stdout?.on('data', () => {
    if (output().includes('Postil works on')) resolve()
  })
  return promise
}
