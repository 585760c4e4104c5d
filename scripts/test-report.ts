/** Counts the tests of a step, from the report that vitest writes. */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

export interface Counts {
  passed: number
  failed: number
  skipped: number
  /** One line for each failure with its reason. */
  failures: string[]
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

/** A file that failed before its first test, or a run that failed without details, counts as one failure. */
export function countTests(root: string, path: string, isFine: boolean): Counts {
  if (!existsSync(path)) {
    return { passed: 0, failed: 1, skipped: 0, failures: ['vitest ended without a report'] }
  }
  const report: VitestReport = JSON.parse(readFileSync(path, 'utf8'))
  const isBroken = (file: FileReport) =>
    file.status === 'failed' && file.assertionResults.every(result => result.status !== 'failed')
  const failed = report.numFailedTests + report.testResults.filter(isBroken).length
  const failures = report.testResults.flatMap(file => toFailures(root, file))
  const [passed, skipped] = [report.numPassedTests, report.numPendingTests + report.numTodoTests]
  if (failed > 0) return { passed, failed, skipped, failures }
  if (!isFine) failures.push('vitest failed outside of the tests; see its output above')
  else if (passed === 0) failures.push('no test was run')
  return { passed, failed: failures.length, skipped, failures }
}

function toFailures(root: string, { name, status, message, assertionResults }: FileReport): string[] {
  const failed = assertionResults.filter(result => result.status === 'failed')
  const file = relative(root, name)
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`]
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages?.[0])}`)
}
