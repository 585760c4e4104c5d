/**
 * Runs the files of failed tests once more, one at a time, after all steps, when nothing else runs. A test that passes then was
 * failed by a busy machine: it counts as passed and is reported as unstable, so that somebody finds the cause.
 */

import { type Failure, findPassed, nameOf } from './test-report.ts'
import type { Outcome } from './test-run.ts'

/** Tests of wrong answers. A write that is lost once is lost. */
export const NEVER_AGAIN: readonly string[] = [
  'packages/domain/src/permissions',
  'tests/agreement/',
  'tests/contract/accounts.test.ts',
  'tests/contract/hostile/',
  'tests/contract/live-rights.test.ts',
  'tests/contract/named-user.test.ts',
  'tests/contract/permissions.test.ts',
  'tests/crash/',
]
export const UNSTABLE_MAX = 5

export interface Unstable {
  step: string
  test: string
  /** Of the run that failed, and of the one that passed. */
  seconds: number
  secondsAlone: number
  error: string
}

interface SecondRun {
  isFine: boolean
  /** Path of the report of vitest. */
  report: string
}

/** `runFile` runs one test file of a step. Changes the counts of the outcomes. */
export async function runAgain(
  outcomes: readonly Outcome[],
  runFile: (outcome: Outcome, file: string) => Promise<SecondRun>,
): Promise<Unstable[]> {
  const unstable: Unstable[] = []
  for (const outcome of outcomes) {
    const repeatable = Map.groupBy(outcome.failures.filter(isRepeatable), ({ file }) => file ?? '')
    for (const [file, failures] of repeatable) {
      console.log(`once more, alone: ${outcome.step.title}: ${file}`)
      const { isFine, report } = await runFile(outcome, file)
      for (const failure of failures) {
        const passed = findPassed(report, failure.test)
        // A file that fails elsewhere the second time has not passed.
        if (!isFine || passed === null) continue
        outcome.failures = outcome.failures.filter(other => other !== failure)
        outcome.failed--
        outcome.passed += passed.tests
        // The tests of a file that fails before its first one are counted as skipped.
        if (failure.test === null) outcome.skipped -= passed.tests
        const { reason: error, seconds } = failure
        unstable.push({ step: outcome.step.name, test: nameOf(failure), seconds, secondsAlone: passed.seconds, error })
      }
    }
  }
  return unstable
}

const isRepeatable = ({ file }: Failure) => file !== null && !NEVER_AGAIN.some(path => file.startsWith(path))
