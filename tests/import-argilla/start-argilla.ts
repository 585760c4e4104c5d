/** The public Argilla server with a separate database, filled through the public SDK. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { preparePythonArgilla } from '../../scripts/python-argilla.ts'
import { preparePythonSdk } from '../../scripts/python-sdk.ts'
import { startEngine } from '../engines/start.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START_TIMEOUT_MS = 300_000
const OUTPUT_SHOWN_MAX = 4_000

/** The owner that `public_server.py` creates. */
export const OWNER = { username: 'ann', password: 'password of ann', apiKey: 'key-of-ann' }

interface StartedArgilla {
  url: string
  /** Database file. */
  file: string
  /** Copies records with the server's models until there are this many, which is much faster than through its routes. */
  multiply(records: number): Promise<void>
  close(): Promise<void>
}

function findPython(name: string, prepare: typeof preparePythonSdk): string {
  const given = process.env[name]
  if (given) return given
  const prepared = prepare(ROOT)
  if ('reason' in prepared) throw new Error(prepared.reason)
  return prepared.python
}

const scriptOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Runs a script with the public SDK and returns its output. */
export function runSdk(script: string, args: readonly string[], home: string): string {
  const python = findPython('POSTIL_TEST_PYTHON', preparePythonSdk)
  const env = { PATH: process.env.PATH, HOME: home, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' }
  const ended = spawnSync(python, [scriptOf(script), ...args], { encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024 })
  if (ended.status !== 0) throw new Error(`${script} failed:\n${ended.stderr.slice(-OUTPUT_SHOWN_MAX)}`)
  return ended.stdout
}

export async function startArgilla(home: string): Promise<StartedArgilla> {
  const python = findPython('POSTIL_TEST_PYTHON_ARGILLA', preparePythonArgilla)
  const engine = await startEngine('elasticsearch', { heap: '512m' })
  const [port, redisPort] = [await findFreePort(), await findFreePort()]
  const child = spawn(python, [scriptOf('public_server.py'), String(port)], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ARGILLA_HOME_PATH: home,
      ARGILLA_ELASTICSEARCH: engine.url,
      ARGILLA_REDIS_URL: `redis://127.0.0.1:${redisPort}/0`,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_OFFLINE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-OUTPUT_SHOWN_MAX)
  })
  const url = `http://127.0.0.1:${port}`
  const close = async () => {
    // The process ends when its standard input is closed.
    child.stdin.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await engine.stop()
  }
  try {
    await waitForAnswer(child, `${url}/api/v1/version`)
  } catch (error) {
    child.kill('SIGKILL')
    await engine.stop()
    throw new Error(`The Argilla server ${(error as Error).message}:\n${errors}`)
  }
  const lines = createInterface(child.stdout)
  const multiply = async (records: number) => {
    const done = once(lines, 'line')
    child.stdin.write(`${records}\n`)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The Argilla server ended:\n${errors}`)))
    await Promise.race([done, ended])
  }
  return { url, file: `${home}/argilla.db`, multiply, close }
}

async function waitForAnswer(child: ChildProcess, url: string): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS
  while (Date.now() < end) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('ended')
    const isReady = await fetch(url).then(
      answer => answer.ok,
      // Nothing listens yet.
      () => false,
    )
    if (isReady) return
    await wait(200)
  }
  throw new Error(`did not answer within ${START_TIMEOUT_MS / 1000} seconds`)
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port was found')
  return address.port
}
