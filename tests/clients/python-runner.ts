/**
 * Runs tests that are Python functions with the unmodified public SDK against a real server.
 *
 * One process runs all tests of a folder and reports each result. Every result becomes a vitest test.
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

/** No network access except to the server. */
export const OFFLINE = { HF_HUB_OFFLINE: '1', HF_DATASETS_OFFLINE: '1' }

interface PythonTest {
  module: string
  name: string
}

interface Outcome extends PythonTest {
  error: string | null
}

interface PythonOptions {
  /** Folder with the modules `test_*.py`, next to this file. */
  folder: string
  /** Called once, before the server starts. */
  open(): Promise<{ env: Record<string, string>; settings?: Record<string, string> }>
}

/** Registers a test for each function of the folder. */
export function testPython({ folder, open }: PythonOptions): void {
  const python = findPython()
  const path = fileURLToPath(new URL(folder, import.meta.url))
  const tests = listTests(python, path)
  const outcomes = new Map(tests.map(({ module, name }) => [`${module}.${name}`, Promise.withResolvers<Outcome>()]))
  const home = mkdtempSync(join(tmpdir(), 'postil-python-sdk-'))
  let server: StartedServer | undefined
  let runner: ChildProcess | undefined

  beforeAll(async () => {
    const { env: given, settings = {} } = await open()
    server = await startServer({ env: settings })
    const env = { POSTIL_TEST_URL: server.url, POSTIL_TEST_API_KEY: server.apiKey, HF_HOME: home, TMPDIR: home }
    runner = spawn(python, [RUNNER, path], { env: toEnvironment({ ...env, ...given }), stdio: ['ignore', 'pipe', 'pipe'] })
    await readOutcomes(runner, tests, outcome => outcomes.get(`${outcome.module}.${outcome.name}`)?.resolve(outcome))
  })

  afterAll(async () => {
    runner?.kill()
    await server?.close()
    rmSync(home, { recursive: true, force: true })
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
}

/** Returns the Python interpreter with the public SDK. */
export function findPython(): string {
  const given = process.env.POSTIL_TEST_PYTHON
  if (given) return given
  const sdk = preparePythonSdk(ROOT)
  if ('reason' in sdk) throw new Error(sdk.reason)
  return sdk.python
}

function listTests(python: string, path: string): PythonTest[] {
  const answer = spawnSync(python, [RUNNER, path, '--list'], { encoding: 'utf8', env: toEnvironment({}) })
  if (answer.status !== 0) throw new Error(`The Python tests cannot be listed.\n${answer.stderr}`)
  return JSON.parse(answer.stdout)
}

/** No files outside the test's folder. */
export const toEnvironment = (extra: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  HF_HUB_DISABLE_TELEMETRY: '1',
  NO_PROXY: '127.0.0.1,localhost',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1',
  TQDM_DISABLE: '1',
  ...extra,
})

/** Resolves when the tests start. */
function readOutcomes(runner: ChildProcess, tests: PythonTest[], settle: (outcome: Outcome) => void): Promise<void> {
  const ready = Promise.withResolvers<void>()
  let said = ''
  runner.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-STDERR_SHOWN_MAX)))
  if (!runner.stdout) throw new Error('Python was started without an output')
  createInterface({ input: runner.stdout }).on('line', line => {
    const outcome = JSON.parse(line)
    if ('ready' in outcome) ready.resolve()
    else settle(outcome)
  })
  // Finished tests are already settled, so this only affects the others.
  runner.once('close', code => {
    const lost = new Error(`Python ended with code ${code} before this test did.\n${said}`)
    ready.reject(lost)
    for (const { module, name } of tests) settle({ module, name, error: lost.message })
  })
  return ready.promise
}

/** A function declaration because of hoisting: the tests above are registered first. */
function toSentence(name: string): string {
  return name.replace(/^test_/, '').replaceAll('_', ' ')
}
