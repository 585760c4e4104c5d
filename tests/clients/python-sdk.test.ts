/**
 * The public Python SDK, unchanged, against a real server.
 *
 * The tests are Python functions in `python_sdk/`; one process runs them all and says after each how it went. Here every
 * one of them is a test of its own.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { preparePythonSdk } from '../../scripts/python-sdk.ts'
import { type StartedServer, startServer } from '../server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RUNNER = fileURLToPath(new URL('python_sdk/run.py', import.meta.url))
const STDERR_SHOWN_MAX = 4000

interface PythonTest {
  module: string
  name: string
}

interface Outcome extends PythonTest {
  error: string | null
}

const python = findPython()
const tests = listTests()
const outcomes = new Map(tests.map(({ module, name }) => [`${module}.${name}`, Promise.withResolvers<Outcome>()]))
const ready = Promise.withResolvers<void>()

let server: StartedServer | undefined
let runner: ChildProcess | undefined
const folder = mkdtempSync(join(tmpdir(), 'postil-python-sdk-'))

beforeAll(async () => {
  server = await startServer()
  runner = startRunner(server)
  await ready.promise
})

afterAll(async () => {
  runner?.kill()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const [module, ofModule] of Map.groupBy(tests, ({ module }) => module)) {
  describe(toSentence(module), () => {
    for (const { name } of ofModule) {
      test(toSentence(name), async () => {
        const outcome = await outcomes.get(`${module}.${name}`)?.promise
        if (outcome?.error != null) throw new Error(outcome.error)
      })
    }
  })
}

function findPython(): string {
  const given = process.env.POSTIL_TEST_PYTHON
  if (given) return given
  const sdk = preparePythonSdk(ROOT)
  if ('reason' in sdk) throw new Error(sdk.reason)
  return sdk.python
}

function listTests(): PythonTest[] {
  const answer = spawnSync(python, [RUNNER, '--list'], { encoding: 'utf8', env: toEnvironment({}) })
  if (answer.status !== 0) throw new Error(`The Python tests cannot be listed.\n${answer.stderr}`)
  return JSON.parse(answer.stdout)
}

/** No network but the server's, no traces outside the test's own folder. */
function toEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HF_HUB_OFFLINE: '1',
    HF_DATASETS_OFFLINE: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    NO_PROXY: '127.0.0.1,localhost',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
    TQDM_DISABLE: '1',
    ...extra,
  }
}

function startRunner({ url, apiKey }: StartedServer): ChildProcess {
  const env = toEnvironment({ POSTIL_TEST_URL: url, POSTIL_TEST_API_KEY: apiKey, HF_HOME: folder, TMPDIR: folder })
  const child = spawn(python, [RUNNER], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-STDERR_SHOWN_MAX)))
  createInterface({ input: child.stdout }).on('line', line => {
    const outcome = JSON.parse(line)
    if ('ready' in outcome) ready.resolve()
    else outcomes.get(`${outcome.module}.${outcome.name}`)?.resolve(outcome)
  })
  // Those that have ended are settled already, and stay so.
  child.once('close', code => {
    const lost = new Error(`Python ended with code ${code} before this test did.\n${said}`)
    ready.reject(lost)
    for (const { module, name } of tests) outcomes.get(`${module}.${name}`)?.resolve({ module, name, error: lost.message })
  })
  return child
}

/** A declaration, not a constant: the tests are registered above it. */
function toSentence(name: string): string {
  return name.replace(/^test_/, '').replaceAll('_', ' ')
}
