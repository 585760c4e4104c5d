/**
 * Installs `pg_dump` and `pg_restore` from a Python package for the backup tests, because the npm package of PostgreSQL does not
 * contain them.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { preparePythonEnvironment } from './python-environment.ts'

/** At least the major version of the server that the tests start. */
const REQUIREMENT = 'embedded-postgres==18.6.3'

const FIND = 'import importlib.util; print(importlib.util.find_spec("embedded_postgres").submodule_search_locations[0])'

/** Returns the folder with the programs, or the reason why there is none. */
export function preparePostgresTools(root: string): { path: string } | { reason: string } {
  const environment = preparePythonEnvironment(root, {
    name: "PostgreSQL's tools for backups",
    folder: '.cache/postgres-tools',
    requirements: [REQUIREMENT],
  })
  if ('reason' in environment) return environment
  const found = spawnSync(environment.python, ['-c', FIND], { encoding: 'utf8' })
  const path = join(found.stdout.trim(), 'pginstall', 'bin')
  const answer = spawnSync(join(path, 'pg_dump'), ['--version'], { encoding: 'utf8' })
  return answer.status === 0 ? { path } : { reason: `pg_dump of ${REQUIREMENT} does not run on this machine` }
}
