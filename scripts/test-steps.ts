/** The steps of `npm test`: checks of the sources, projects of tests, and suites that run again on other databases and engines. */
import { COMBINATIONS, type Combination, listEngineTests, type Suite, toArguments } from './test-combinations.ts'
import type { Need } from './test-needs.ts'

export interface Step {
  /** For `--only`. */
  name: string
  /** In the summary. */
  title: string
  /** A program of node_modules with its arguments. */
  command: readonly string[]
  /** Vitest writes a report, in which the tests are counted. Other programs count as one. */
  isVitest: boolean
  needs: readonly Need[]
  /** Null: on SQLite with the embedded index. */
  combination: Combination | null
  /** Of a combination. */
  suite: Suite | null
  /** Not part of a complete run. */
  isOnDemand: boolean
}

const CHECKS: Record<string, readonly string[]> = {
  types: ['typescript/bin/tsc', '-p', 'tsconfig.json'],
  'browser-types': ['typescript/bin/tsc', '-p', 'tsconfig.browser.json'],
  'web-types': ['vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'packages/web/tsconfig.json'],
  lint: ['@biomejs/biome/bin/biome', 'ci', '.'],
  dead: ['knip/bin/knip.js'],
}

/** Projects of vitest -> what every test of them needs. */
const PROJECTS: Record<string, readonly Need[]> = {
  domain: [],
  server: [],
  client: [],
  web: [],
  tidy: [],
  contract: [],
  crash: [],
  deploy: ['postgres'],
  agreement: [],
  clients: ['python-sdk'],
  fuzz: ['schemathesis'],
  e2e: ['chromium'],
}

/** Steps that leave out some of their tests if it is missing -> what. */
export const NEEDED_BY_SOME: Record<string, Need> = { server: 'postgres', contract: 'postgres' }

const runVitest = (...args: string[]) => ['vitest/vitest.mjs', 'run', ...args]

export function listSteps(root: string): Step[] {
  const plain = { combination: null, suite: null, needs: [], isOnDemand: false }
  const checks = Object.entries(CHECKS).map(([name, command]) => ({ ...plain, name, title: name, command, isVitest: false }))
  const projects = Object.entries(PROJECTS).map(([name, needs]) => {
    // With an engine they are a step of their own.
    const leftOut = name === 'server' ? listEngineTests(root).flatMap(path => ['--exclude', path]) : []
    return { ...plain, name, title: name, command: runVitest('--project', name, ...leftOut), isVitest: true, needs }
  })
  const others = COMBINATIONS.filter(({ enabled }) => enabled).flatMap(combination =>
    [...combination.suites, ...combination.onDemand].map(suite => toStep(root, suite, combination)),
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
    isOnDemand: combination.onDemand.includes(suite),
  }
}

/** The steps with an engine that is a program of its own; `npm test` runs them only when it is told to. */
export const needsEngine = ({ combination }: Step) => combination !== null && combination.engine !== 'embedded'
