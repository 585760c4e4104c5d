import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[]) => ({
  // A busy machine makes a poll wait, not fail.
  test: { name, include, testTimeout: 120_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } },
})

export default defineConfig({
  test: {
    projects: [
      project('domain', ['packages/domain/src/**/*.test.ts']),
      project('server', ['packages/server/src/**/*.test.ts']),
      project('client', ['packages/client/src/**/*.test.ts']),
      project('web', ['packages/web/src/**/*.test.ts']),
      project('tidy', ['tests/*.test.ts']),
      project('contract', ['tests/contract/**/*.test.ts']),
      project('crash', ['tests/crash/**/*.test.ts']),
      project('clients', ['tests/clients/**/*.test.ts']),
      project('fuzz', ['tests/fuzz/**/*.test.ts']),
      project('e2e', ['tests/e2e/**/*.test.ts']),
    ],
  },
})
