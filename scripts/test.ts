/**
 * `npm test`: types, lint, dead code, then every test project, and one line of counts at the end.
 *
 *   npm test -- --only server --only tidy              some steps
 *   npm test -- --only contract@postgres-opensearch    a suite on another database and engine
 *   npm test -- --only browsers                        the main flows in Firefox and WebKitGTK
 *   npm test -- --engines                              also the steps with OpenSearch and Elasticsearch (need Java, Maven)
 *   npm test -- --strict                               fails if this machine cannot run something
 *
 * Tests that cannot run here (no Python, no PostgreSQL for this platform) are listed at the end. Then come the most expensive files
 * and steps; `test-report.json` has all of them.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildServer } from './build-server.ts'
import { buildWeb } from './build-web.ts'
import { Preparation } from './test-needs.ts'
import { runSteps, toOrder } from './test-run.ts'
import { listNeeds, listSteps, needsEngine, type Step } from './test-steps.ts'
import { countAll, printSummary, type Run, writeReport } from './test-summary.ts'

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

async function main(): Promise<number> {
  const { steps, others, isStrict } = readOptions()
  const preparation = new Preparation(ROOT, new Set(toOrder(steps).flatMap(listNeeds)))
  // Built once, before concurrent steps need them.
  await buildWeb()
  await buildServer()
  const begin = performance.now()
  const finished = await runSteps(ROOT, steps, preparation)
  const leftOut = new Map<string, string>(preparation.listLeftOut())
  for (const { step, skipped, failed } of finished.outcomes) {
    // Vitest counts the tests of a file that failed before its first one as skipped. On other combinations, tests skip what does
    // not apply.
    if (skipped > 0 && failed === 0 && !step.combination)
      leftOut.set(`${skipped} skipped tests in ${step.title}`, 'marked so in the source')
  }
  const run: Run = { ...finished, leftOut, others, isStrict, seconds: (performance.now() - begin) / 1000 }
  printSummary(run)
  writeReport(ROOT, run)
  const { passed, failed } = countAll(run)
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
