/** The end of `npm test`: what failed, what was unstable, and where the time went; the same as `test-report.json`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UNSTABLE_MAX } from './test-again.ts'
import { nameOf } from './test-report.ts'
import type { Finished, Outcome } from './test-run.ts'
import type { Step } from './test-steps.ts'

const SLOWEST = 10

export interface Run extends Finished {
  /** Reasons of tests that were not run, by name. */
  leftOut: ReadonlyMap<string, string>
  /** Steps that run only on request. */
  others: readonly Step[]
  isStrict: boolean
  seconds: number
}

export interface Totals {
  passed: number
  failed: number
}

export function countAll({ outcomes, unstable, leftOut, isStrict }: Run): Totals {
  const sum = (key: 'passed' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  return {
    passed: sum('passed'),
    failed: sum('failed') + (isStrict ? leftOut.size : 0) + (unstable.length > UNSTABLE_MAX ? 1 : 0),
  }
}

export function printSummary({ outcomes, unstable, leftOut, others, seconds }: Run): void {
  console.log('')
  for (const { step, passed, failed, skipped, ...times } of outcomes) {
    const elsewhere = step.combination && skipped > 0 ? `, ${skipped} about another database or engine` : ''
    console.log(`${step.title}: ${passed} passed, ${failed} failed${elsewhere} (${describeTimes(times)})`)
  }
  printSlowest(outcomes)
  console.log(`\nall steps: ${describeTimes({ seconds, processorSeconds: sumProcessor(outcomes) })}\n`)
  for (const { step, failures } of outcomes) {
    for (const failure of failures)
      console.log(`failed: ${step.combination ? `${step.title}: ` : ''}${nameOf(failure)}: ${failure.reason}`)
  }
  for (const { step, test, seconds: first, secondsAlone, error } of unstable) {
    console.log(
      `unstable: ${step}: ${test} (failed after ${first.toFixed(1)} s, passed alone in ${secondsAlone.toFixed(1)} s): ${error}`,
    )
  }
  if (unstable.length > UNSTABLE_MAX) console.log(`failed: ${unstable.length} unstable tests, more than ${UNSTABLE_MAX}`)
  for (const [name, reason] of leftOut) console.log(`left out: ${name} (${reason})`)
  if (others.length === 0) return
  console.log(
    'not run: the same tests with OpenSearch and Elasticsearch. `npm test -- --engines` runs these too; it needs Java 17 and Maven:',
  )
  console.log(`  ${others.map(({ title }) => title).join('; ')}`)
}

interface Times {
  seconds: number
  processorSeconds: number | null
}

const describeTimes = ({ seconds, processorSeconds }: Times) =>
  processorSeconds === null
    ? `${Math.round(seconds)} s`
    : `${Math.round(seconds)} s, ${Math.round(processorSeconds)} s of processor time`

const costOf = ({ seconds, processorSeconds }: Times) => processorSeconds ?? seconds

const sumProcessor = (outcomes: readonly Outcome[]) =>
  outcomes.some(({ processorSeconds }) => processorSeconds === null)
    ? null
    : outcomes.reduce((sum, { processorSeconds }) => sum + (processorSeconds ?? 0), 0)

function printSlowest(outcomes: readonly Outcome[]): void {
  const slowest = <T extends Times>(all: readonly T[]) => all.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, SLOWEST)
  console.log(`\nThe ${SLOWEST} most expensive steps:`)
  for (const { step, ...times } of slowest(outcomes)) console.log(`  ${step.name}: ${describeTimes(times)}`)
  const files = outcomes.flatMap(({ step, files }) => files.map(times => ({ ...times, step: step.name })))
  if (files.length === 0) return
  console.log(`The ${SLOWEST} most expensive files:`)
  for (const { file, step, ...times } of slowest(files)) console.log(`  ${file} (${step}): ${describeTimes(times)}`)
}

export function writeReport(root: string, run: Run): void {
  const { outcomes, unstable, leftOut, seconds } = run
  const report = {
    ...countAll(run),
    seconds,
    processorSeconds: sumProcessor(outcomes),
    steps: outcomes.map(({ step, ...rest }) => ({ name: step.name, title: step.title, ...rest })),
    unstable,
    leftOut: Object.fromEntries(leftOut),
  }
  writeFileSync(join(root, 'test-report.json'), `${JSON.stringify(report, null, 1)}\n`)
}
