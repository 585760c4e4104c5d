/** The steps of `npm test`: checks of the sources, test projects, and suites that run again on other databases and engines. */
import { COMBINATIONS, type Combination, listEngineTests, type Suite, toArguments } from './test-combinations.ts'
import type { Need } from './test-needs.ts'

export interface Step {
  /** Name for `--only`. */
  name: string
  /** Title in the summary. */
  title: string
  /** A program of node_modules with its arguments. */
  command: readonly string[]
  /** True if the step writes a vitest report, in which the tests are counted. Other programs count as one test. */
  isVitest: boolean
  needs: readonly Need[]
  /** Null for SQLite with the embedded index. */
  combination: Combination | null
  /** Suite that runs on the combination. */
  suite: Suite | null
}

/** The compiler of version 7 is native and needs a quarter of the time. vue-tsc needs the library of version 6. */
const CHECKS: Record<string, readonly string[]> = {
  types: ['typescript-7/bin/tsc', '-p', 'tsconfig.json'],
  'browser-types': ['typescript-7/bin/tsc', '-p', 'tsconfig.browser.json'],
  'web-types': ['vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'packages/web/tsconfig.json'],
  lint: ['@biomejs/biome/bin/biome', 'ci', '.'],
  dead: ['knip/bin/knip.js'],
  docs: ['../scripts/docs.ts'],
}

/** Vitest projects, with the requirements of all their tests. */
const PROJECTS: Record<string, readonly Need[]> = {
  domain: [],
  server: [],
  client: [],
  web: [],
  tidy: [],
  contract: [],
  cli: [],
  crash: [],
  deploy: ['postgres'],
  agreement: [],
  clients: ['python-sdk'],
  'clients-legacy': ['python-legacy'],
  'import-argilla': ['python-sdk', 'python-argilla', 'elasticsearch'],
  fuzz: ['schemathesis'],
  e2e: ['chromium'],
  browsers: ['firefox', 'webkit'],
}

/** Requirements of some tests of a step, which are left out if one is missing. */
const NEEDED_BY_SOME: Record<string, readonly Need[]> = {
  server: ['postgres'],
  contract: ['postgres'],
  cli: ['postgres', 'postgres-tools'],
  e2e: ['python-sdk'],
}

const runVitest = (...args: string[]) => ['vitest/vitest.mjs', 'run', ...args]

export function listSteps(root: string): Step[] {
  const plain = { combination: null, suite: null, needs: [] }
  const checks = Object.entries(CHECKS).map(([name, command]) => ({ ...plain, name, title: name, command, isVitest: false }))
  const projects = Object.entries(PROJECTS).map(([name, needs]) => {
    // With an engine, these tests are a separate step.
    const leftOut = name === 'server' ? listEngineTests(root).flatMap(path => ['--exclude', path]) : []
    return { ...plain, name, title: name, command: runVitest('--project', name, ...leftOut), isVitest: true, needs }
  })
  const others = COMBINATIONS.filter(({ enabled }) => enabled).flatMap(combination =>
    combination.suites.map(suite => toStep(root, suite, combination)),
  )
  return [...checks, ...projects, ...others]
}

function toStep(root: string, suite: Suite, combination: Combination): Step {
  const { name, title, database, engine } = combination
  return {
    name: `${suite}@${name}`,
    title: `${suite === 'engine' ? 'engine suite' : suite} on ${title}`,
    command: runVitest(...toArguments(root, suite, combination)),
    isVitest: true,
    needs: [
      ...(PROJECTS[suite] ?? []),
      ...(database === 'postgres' ? (['postgres'] as const) : []),
      ...(engine === 'embedded' ? [] : [engine]),
    ],
    combination,
    suite,
  }
}

/** Returns all requirements of a step, first those of all its tests. */
export const listNeeds = ({ name, needs }: Step): Need[] => [...needs, ...(NEEDED_BY_SOME[name] ?? [])]

/** Steps with a separate engine program; `npm test` runs them only on request. */
export const needsEngine = ({ combination }: Step) => combination !== null && combination.engine !== 'embedded'

/** Returns the vitest project of a step. The engine suite is part of the server's tests. */
export const projectOf = ({ name, suite }: Step): string => (suite === 'engine' ? 'server' : (suite ?? name))
