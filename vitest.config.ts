import { defineConfig } from 'vitest/config'
import { Watchdog } from './scripts/test-watchdog.ts'

interface Limits {
  /** For each test and each hook. */
  seconds: number
  /** Files of a worker share modules, servers and browsers, so they keep no state in modules that another file could meet. */
  isolate?: true
  retry?: number
}

/** Polls end before their test, so that the message says what did not become true. */
const toProject = (name: string, include: string[], { seconds, isolate, retry = 0 }: Limits) => ({
  test: {
    name,
    include,
    isolate: isolate ?? false,
    retry,
    setupFiles: ['tests/measure-file.ts'],
    testTimeout: seconds * 1000,
    hookTimeout: seconds * 1000,
    expect: { poll: { timeout: seconds * 750 } },
  },
})

const UNIT: Limits = { seconds: 20 }
const SERVERS: Limits = { seconds: 120 }
/** Kills and faults repeat many rounds in one test. */
const LONG: Limits = { seconds: 600 }

/** Path of the report that `npm test` reads. */
const report = process.env.POSTIL_TEST_REPORT

export default defineConfig({
  test: {
    reporters: [
      'default',
      new Watchdog(),
      ...(report === undefined ? [] : [['json', { outputFile: report }] as ['json', object]]),
    ],
    // Most tests wait for a server or a browser half of the time.
    maxWorkers: 2,
    globalSetup: ['tests/databases/start-postgres.ts'],
    projects: [
      toProject('domain', ['packages/domain/src/**/*.test.ts'], UNIT),
      toProject('server', ['packages/server/src/**/*.test.ts'], UNIT),
      toProject('client', ['packages/client/src/**/*.test.ts'], UNIT),
      toProject('web', ['packages/web/{src,early}/**/*.test.ts'], UNIT),
      toProject('tidy', ['tests/*.test.ts'], UNIT),
      toProject('contract', ['tests/contract/**/*.test.ts'], SERVERS),
      toProject('cli', ['tests/cli/**/*.test.ts'], SERVERS),
      toProject('deploy', ['tests/deploy/**/*.test.ts'], SERVERS),
      toProject('agreement', ['tests/agreement/**/*.test.ts'], SERVERS),
      toProject('clients', ['tests/clients/**/*.test.ts'], SERVERS),
      toProject('clients-legacy', ['tests/clients-legacy/**/*.test.ts'], SERVERS),
      toProject('e2e', ['tests/e2e/**/*.test.ts'], SERVERS),
      // The drivers of Firefox and WebKitGTK lose a key or a click now and then when the machine is busy.
      toProject('browsers', ['tests/browsers/**/*.test.ts'], { ...SERVERS, retry: 2 }),
      toProject('crash', ['tests/crash/**/*.test.ts'], LONG),
      toProject('faults', ['tests/faults/**/*.test.ts'], LONG),
      toProject('import-argilla', ['tests/import-argilla/**/*.test.ts'], LONG),
      toProject('fuzz', ['tests/fuzz/**/*.test.ts'], LONG),
    ],
  },
})
