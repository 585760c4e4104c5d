/**
 * `npm run test:newest-sdk`: runs the flows of the public Python SDK with the newest versions of all its dependencies, to detect
 * incompatibilities before users do. It installs them again each time, and is not part of `npm test`.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preparePythonEnvironment } from './python-environment.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = '.cache/python-newest'
/** The packages that the README installs, and further ones for the tests. */
const REQUIREMENTS = ['argilla', 'requests', 'Jinja2', 'fastapi', 'uvicorn']

rmSync(join(ROOT, FOLDER), { recursive: true, force: true })
const name = 'the Python SDK with its newest dependencies'
const sdk = preparePythonEnvironment(ROOT, { name, folder: FOLDER, requirements: REQUIREMENTS })
if ('reason' in sdk) {
  console.error(sdk.reason)
  process.exit(1)
}
spawnSync(sdk.python, ['-m', 'pip', 'list'], { stdio: 'inherit' })
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'clients', 'tests/clients/python-sdk.test.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, POSTIL_TEST_PYTHON: sdk.python },
})
process.exit(status ?? 1)
