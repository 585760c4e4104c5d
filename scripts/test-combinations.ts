/**
 * Databases and search engines on which the same tests run, in addition to SQLite with the embedded index, on which all steps
 * run.
 *
 * `enabled` disables a combination that the server does not support yet.
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
  /** Runs only the contract tests that search. The others run on the same database with the embedded index. */
  contractOfSearches?: true
  enabled: boolean
}

/**
 * The engine suite runs on SQLite and PostgreSQL with the embedded index in the step `server`. The clients run with one engine: the
 * contract tests compare the answers of all.
 */
export const COMBINATIONS: readonly Combination[] = [
  {
    name: 'postgres-embedded',
    title: 'PostgreSQL with the embedded index',
    database: 'postgres',
    engine: 'embedded',
    suites: ['contract', 'clients', 'agreement', 'faults'],
    enabled: true,
  },
  {
    name: 'postgres-opensearch',
    title: 'PostgreSQL with OpenSearch',
    database: 'postgres',
    engine: 'opensearch',
    suites: ['contract', 'clients', 'engine', 'agreement', 'faults'],
    contractOfSearches: true,
    enabled: true,
  },
  {
    name: 'postgres-elasticsearch',
    title: 'PostgreSQL with Elasticsearch',
    database: 'postgres',
    engine: 'elasticsearch',
    suites: ['contract', 'engine', 'agreement', 'faults'],
    contractOfSearches: true,
    enabled: true,
  },
  {
    name: 'sqlite-opensearch',
    title: 'SQLite with OpenSearch',
    database: 'sqlite',
    engine: 'opensearch',
    suites: ['contract', 'engine', 'agreement'],
    contractOfSearches: true,
    enabled: true,
  },
]

/** Contract and client test files that are not run on PostgreSQL, with the reason why the result is the same there. */
const NOT_ON_POSTGRES: Record<string, string> = {
  'tests/clients/change-feed-guide.test.ts': 'programs that read the log: the contract tests make the same calls',
  'tests/clients/guide-commands.test.ts': 'examples of the documentation: the contract tests make the same calls',
  'tests/clients/guide-hub.test.ts': 'examples of the documentation: the contract tests make the same calls',
  'tests/clients/guides.test.ts': 'examples of the documentation: the client tests make the same calls',
  'tests/clients/hub.test.ts': 'files of a hub: the contract tests import and export the same',
  'tests/clients/webhook-receivers.test.ts': 'receivers of deliveries, which do not read the database',
  'tests/clients/parquet-files.test.ts': 'files that are read without a server',
  'tests/contract/backup.test.ts':
    'backups of files of SQLite; those of PostgreSQL are tested in tests/cli/backup-postgres.test.ts',
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

/** Client test files that are not run with OpenSearch or Elasticsearch either. */
const NOT_ON_ENGINES: Record<string, string> = {
  'tests/clients/webhook-listener.test.ts': 'deliveries: no search',
}

/** Contract test files whose answers come from the search engine. */
const SEARCHES = ['annotation', 'exports', 'imports', 'metrics', 'records', 'routes', 'search', 'settings', 'stopping'].map(
  name => `tests/contract/${name}.test.ts`,
)

/** Environment variables that tell the tests which database and engine the servers use. */
export function toTestEnvironment({ database, engine }: Combination, engineUrl: string | null): Record<string, string> {
  return {
    POSTIL_TEST_DATABASE: database,
    POSTIL_TEST_ENGINE: engine,
    ...(engineUrl !== null && { POSTIL_TEST_ENGINE_URL: engineUrl }),
  }
}

/** Returns the server's own test files that need an engine: those that use the one from the environment. */
export function listEngineTests(root: string): string[] {
  const files = globSync('packages/server/src/search/elastic/**/*.test.ts', { cwd: root })
  return files.filter(path => readFileSync(join(root, path), 'utf8').includes('testing/cluster.ts')).sort()
}

/** Returns the vitest arguments that select the tests of a suite for a combination. */
export function toArguments(root: string, suite: Suite, { engine, contractOfSearches }: Combination): string[] {
  if (suite === 'engine') return ['--project', 'server', ...listEngineTests(root)]
  if (suite === 'contract' && contractOfSearches) return ['--project', suite, ...checkExist(root, SEARCHES)]
  if (suite === 'faults') return ['--project', suite, ...toFaultArguments(engine)]
  const leftOut = checkExist(
    root,
    Object.keys(engine === 'embedded' ? NOT_ON_POSTGRES : { ...NOT_ON_POSTGRES, ...NOT_ON_ENGINES }),
  )
  const ofSuite = leftOut.filter(path => path.startsWith(`tests/${suite}/`))
  return ['--project', suite, ...ofSuite.flatMap(path => ['--exclude', path])]
}

/** PostgreSQL faults are tested with the embedded index only, because they do not involve an engine. */
const toFaultArguments = (engine: Combination['engine']) =>
  engine === 'embedded' ? ['--exclude', ENGINE_FAULTS] : [ENGINE_FAULTS, TWO_SERVERS, LEASES]

const ENGINE_FAULTS = 'tests/faults/engine.test.ts'
const TWO_SERVERS = 'tests/faults/two-servers.test.ts'
const LEASES = 'tests/faults/leases.test.ts'

function checkExist(root: string, paths: readonly string[]): readonly string[] {
  const missing = paths.filter(path => !existsSync(join(root, path)))
  if (missing.length > 0) throw new Error(`scripts/test-combinations.ts names files that do not exist: ${missing.join(', ')}`)
  return paths
}
