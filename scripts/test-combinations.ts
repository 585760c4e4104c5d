/**
 * Databases and search engines that the same tests run on, beside SQLite with the embedded index, on which all steps run.
 *
 * A combination that the server does not serve yet is switched off with `enabled`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineName } from '../tests/engines/build.ts'

export type Suite = 'contract' | 'clients' | 'engine' | 'agreement' | 'faults'

export interface Combination {
  /** As in `--only contract@postgres-opensearch`. */
  name: string
  title: string
  database: 'sqlite' | 'postgres'
  engine: 'embedded' | EngineName
  suites: readonly Suite[]
  /** Run by their names only: with these, a complete run would take longer than an hour on two cores. */
  onDemand: readonly Suite[]
  enabled: boolean
}

/** The engine suite runs on SQLite and PostgreSQL with the embedded index in the step `server`. */
export const COMBINATIONS: readonly Combination[] = [
  {
    name: 'postgres-embedded',
    title: 'PostgreSQL with the embedded index',
    database: 'postgres',
    engine: 'embedded',
    suites: ['contract', 'clients', 'agreement'],
    onDemand: ['faults'],
    enabled: true,
  },
  {
    name: 'postgres-opensearch',
    title: 'PostgreSQL with OpenSearch',
    database: 'postgres',
    engine: 'opensearch',
    suites: ['engine', 'agreement'],
    onDemand: ['contract', 'clients', 'faults'],
    enabled: true,
  },
  {
    name: 'postgres-elasticsearch',
    title: 'PostgreSQL with Elasticsearch',
    database: 'postgres',
    engine: 'elasticsearch',
    suites: ['engine', 'agreement'],
    onDemand: ['contract', 'clients', 'faults'],
    enabled: true,
  },
  {
    name: 'sqlite-opensearch',
    title: 'SQLite with OpenSearch',
    database: 'sqlite',
    engine: 'opensearch',
    suites: ['agreement'],
    onDemand: ['contract', 'clients', 'engine'],
    enabled: true,
  },
]

/** Files of the contract tests that are not run on PostgreSQL -> why they have the same outcome there. */
const NOT_ON_POSTGRES: Record<string, string> = {
  'tests/contract/backup.test.ts': 'the command copies a file of SQLite; PostgreSQL has pg_dump',
  'tests/contract/base-url.test.ts': 'paths, origins and cookies: ends before the database',
  'tests/contract/hostile/descriptors.test.ts': 'descriptors that SQLite opens its files with',
  'tests/contract/hostile/json-syntax.test.ts': 'bodies that are refused before anything is read from the database',
  'tests/contract/hostile/paths.test.ts': 'requests that match no route',
  'tests/contract/hostile/sockets.test.ts': 'connections and HTTP syntax: ends before the database',
  'tests/contract/hostile/wrong-types.test.ts':
    'bodies that are refused by their shape, before anything is read from the database',
  'tests/contract/stack-traces.test.ts': 'how a bug is printed',
  'tests/contract/start-failures.test.ts': 'folders and files of SQLite that cannot be used',
  'tests/contract/storage-failures.test.ts': 'a disk that fails below SQLite',
  'tests/contract/telemetry.test.ts': 'records every connection of the process, among which those to PostgreSQL would be',
  'tests/contract/threads.test.ts': 'threads that die by a planted failure, which knows the calls of SQLite',
}

/** Files of the contract tests that are not run with OpenSearch or Elasticsearch -> why these cannot change the outcome. */
const NOT_ON_ENGINES: Record<string, string> = {
  ...NOT_ON_POSTGRES,
  'tests/contract/accounts.test.ts': 'credentials of users: no search',
  'tests/contract/guessing.test.ts': 'delays of wrong passwords: no search',
  'tests/contract/hostile/credentials.test.ts': 'keys and tokens: no search',
  'tests/contract/hostile/guessing.test.ts': 'delays of wrong passwords: no search',
  'tests/contract/hostile/uploads.test.ts': 'bodies that never end: no search',
  'tests/contract/oauth2.test.ts': 'sign-in with a provider: no search',
  'tests/contract/people.test.ts': 'users, workspaces, tokens and sessions: no search',
  'tests/contract/start.test.ts': 'commands and exit codes; the search commands are in the engine suite',
}

/** What the tests read to know what servers run on. */
export function toTestEnvironment({ database, engine }: Combination, engineUrl: string | null): Record<string, string> {
  return {
    POSTIL_TEST_DATABASE: database,
    POSTIL_TEST_ENGINE: engine,
    ...(engineUrl !== null && { POSTIL_TEST_ENGINE_URL: engineUrl }),
  }
}

/** Files of the server's own tests that need an engine: those that ask for the one of the environment. */
export function listEngineTests(root: string): string[] {
  const files = globSync('packages/server/src/search/elastic/**/*.test.ts', { cwd: root })
  return files.filter(path => readFileSync(join(root, path), 'utf8').includes('testing/cluster.ts')).sort()
}

/** Of vitest: which tests of a suite are run on a combination. */
export function toArguments(root: string, suite: Suite, { engine }: Combination): string[] {
  if (suite === 'engine') return ['--project', 'server', ...listEngineTests(root)]
  if (suite === 'faults') return ['--project', suite, ...toFaultArguments(engine)]
  if (suite !== 'contract') return ['--project', suite]
  const leftOut = Object.keys(engine === 'embedded' ? NOT_ON_POSTGRES : NOT_ON_ENGINES)
  const missing = leftOut.filter(path => !existsSync(join(root, path)))
  if (missing.length > 0) throw new Error(`scripts/test-combinations.ts names files that do not exist: ${missing.join(', ')}`)
  return ['--project', suite, ...leftOut.flatMap(path => ['--exclude', path])]
}

/** Faults of PostgreSQL are tested with the embedded index only: an engine has no part in them. */
const toFaultArguments = (engine: Combination['engine']) =>
  engine === 'embedded' ? ['--exclude', ENGINE_FAULTS] : [ENGINE_FAULTS, TWO_SERVERS]

const ENGINE_FAULTS = 'tests/faults/engine.test.ts'
const TWO_SERVERS = 'tests/faults/two-servers.test.ts'
