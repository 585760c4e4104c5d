/** The unmodified 1.x Python client against a real server. Each file in `python_legacy/` is a program that fails by raising. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparePythonLegacy } from '../../scripts/python-legacy.ts'
import { type RunProgram, startProgramHost } from '../clients/program-host.ts'
import { type StartedServer, startServer } from '../server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = fileURLToPath(new URL('python_legacy', import.meta.url))
const programs = readdirSync(FOLDER).filter(name => name.startsWith('check_'))

const python = findPython()
const home = mkdtempSync(join(tmpdir(), 'postil-python-legacy-'))
let server: StartedServer
let runProgram: RunProgram

beforeAll(async () => {
  server = await startServer()
  // Its modules load others when a name is read.
  runProgram = startProgramHost({ python, load: 'import argilla as rg; rg.log, rg.FeedbackDataset', env: toEnvironment() })
})

afterAll(async () => {
  await server?.close()
  rmSync(home, { recursive: true, force: true })
})

test.each(programs)('%s', async program => {
  const name = join(FOLDER, program)
  const text = readFileSync(name, 'utf8')
  const { status, stdout, stderr } = await runProgram({ name, text, args: [], cwd: home, env: toEnvironment() })
  expect(status, `${stdout}\n${stderr}`).toBe(0)
  expect(stdout).toMatch(/^done$/m)
})

function findPython(): string {
  const given = process.env.POSTIL_TEST_PYTHON_LEGACY
  if (given) return given
  const client = preparePythonLegacy(ROOT)
  if ('reason' in client) throw new Error(client.reason)
  return client.python
}

/** No network access except to the server, and no files outside the test's folder. */
const toEnvironment = () => ({
  PATH: process.env.PATH,
  HOME: home,
  TMPDIR: home,
  POSTIL_TEST_URL: server.url,
  POSTIL_TEST_API_KEY: server.apiKey,
  ARGILLA_ENABLE_TELEMETRY: '0',
  HF_HUB_OFFLINE: '1',
  HF_DATASETS_OFFLINE: '1',
  HF_HUB_DISABLE_TELEMETRY: '1',
  NO_PROXY: '127.0.0.1,localhost',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1',
  PYTHONWARNINGS: 'ignore',
  TQDM_DISABLE: '1',
})
