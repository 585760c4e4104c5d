import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[], options: { retry?: number } = {}) => ({
  // The only limits of time. They end what hangs, and are far from what a machine takes that has little time for the tests.
  test: { name, include, testTimeout: 900_000, hookTimeout: 900_000, expect: { poll: { timeout: 180_000 } }, ...options },
})

export default defineConfig({
  test: {
    // Most tests wait for a server or a browser half of the time.
    maxWorkers: 2,
    globalSetup: ['tests/databases/start-postgres.ts'],
    projects: [
      project('domain', ['packages/domain/src/**/*.test.ts']),
      project('server', ['packages/server/src/**/*.test.ts']),
      project('client', ['packages/client/src/**/*.test.ts']),
      project('web', ['packages/web/{src,early}/**/*.test.ts']),
      project('tidy', ['tests/*.test.ts']),
      project('contract', ['tests/contract/**/*.test.ts']),
      project('cli', ['tests/cli/**/*.test.ts']),
      project('crash', ['tests/crash/**/*.test.ts']),
      project('deploy', ['tests/deploy/**/*.test.ts']),
      project('agreement', ['tests/agreement/**/*.test.ts']),
      project('faults', ['tests/faults/**/*.test.ts']),
      project('clients', ['tests/clients/**/*.test.ts']),
      project('clients-legacy', ['tests/clients-legacy/**/*.test.ts']),
      project('import-argilla', ['tests/import-argilla/**/*.test.ts']),
      project('fuzz', ['tests/fuzz/**/*.test.ts']),
      project('e2e', ['tests/e2e/**/*.test.ts']),
      // The drivers of Firefox and WebKitGTK lose a key or a click now and then when the machine is busy.
      project('browsers', ['tests/browsers/**/*.test.ts'], { retry: 2 }),
    ],
  },
})
