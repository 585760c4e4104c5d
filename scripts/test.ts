/**
 * `npm test`: types, lint, dead code, then every test project, and one line of counts at the end.
 *
 *   npm test -- --only server --only tidy              some steps
 *   npm test -- --only contract@postgres-opensearch    a suite on another database and engine
 *   npm test -- --only browsers                        the main flows in Firefox and WebKitGTK
 *   npm test -- --engines                              also the steps with OpenSearch and Elasticsearch (need Java, Maven)
 *   npm test -- --strict                               fails if this machine cannot run something
 *
 * Tests that cannot run here (no Python, no PostgreSQL for this platform) are listed at the end.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'
import { Preparation } from './test-needs.ts'
import { type Outcome, runSteps, toOrder } from './test-run.ts'
import { listNeeds, listSteps, needsEngine, type Step } from './test-steps.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Options {
  steps: Step[]
  /** Steps that run only on request. */
  others: Step[]
  isStrict: boolean
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      engines: { type: 'boolean' },
      strict: { type: 'boolean' },
    },
  })
  const all = listSteps(ROOT)
  const only = values.only?.flatMap(names => names.split(','))
  const unknown = only?.filter(name => !all.some(step => step.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: no such step. Steps: ${all.map(({ name }) => name).join(', ')}`)
  const isWanted = (step: Step) => (only ? only.includes(step.name) : values.engines || !needsEngine(step))
  return {
    steps: all.filter(isWanted),
    others: only ? [] : all.filter(step => needsEngine(step) && !isWanted(step)),
    isStrict: values.strict ?? false,
  }
}

function printSummary(outcomes: readonly Outcome[], leftOut: Map<string, string>, others: readonly Step[]): void {
  console.log('')
  for (const { step, passed, failed, skipped, seconds } of outcomes) {
    const others = step.combination && skipped > 0 ? `, ${skipped} about another database or engine` : ''
    console.log(`${step.title}: ${passed} passed, ${failed} failed${others} (${seconds} s)`)
  }
  for (const { step, failures } of outcomes) {
    for (const failure of failures) console.log(`failed: ${step.combination ? `${step.title}: ` : ''}${failure}`)
  }
  for (const [name, reason] of leftOut) console.log(`left out: ${name} (${reason})`)
  if (others.length === 0) return
  console.log(
    'not run: the same tests with OpenSearch and Elasticsearch. `npm test -- --engines` runs these too; it needs Java 17 and Maven:',
  )
  console.log(`  ${others.map(({ title }) => title).join('; ')}`)
}

async function main(): Promise<number> {
  const { steps, others, isStrict } = readOptions()
  const preparation = new Preparation(ROOT, new Set(toOrder(steps).flatMap(listNeeds)))
  // Built once, before concurrent steps need them.
  await buildWeb()
  await buildServer()
  const outcomes = await runSteps(ROOT, steps, preparation)
  const leftOut = new Map<string, string>(preparation.listLeftOut())
  for (const { step, skipped, failed } of outcomes) {
    // Vitest counts the tests of a file that failed before its first one as skipped. On other combinations, tests skip what does
    // not apply.
    if (skipped > 0 && failed === 0 && !step.combination)
      leftOut.set(`${skipped} skipped tests in ${step.title}`, 'marked so in the source')
  }
  printSummary(outcomes, leftOut, others)
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, isStrict ? leftOut.size : 0)
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('0 passed, 1 failed')
  process.exitCode = 1
}
