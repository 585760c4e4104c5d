/** Counts the tests of a step from the report that vitest writes, and describes a whole run. */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { toStoppedPath } from './test-watchdog.ts'

export interface Failure {
  /** Path of the test file; null if the failure belongs to no file. */
  file: string | null
  /** Full name of the test; null if the file failed as a whole. */
  test: string | null
  reason: string
  seconds: number
}

export interface Counts {
  passed: number
  failed: number
  skipped: number
  failures: Failure[]
}

export interface FileTimes {
  file: string
  seconds: number
  processorSeconds: number
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
  startTime: number
  endTime: number
  assertionResults: TestReport[]
}

interface TestReport {
  status: string
  fullName: string
  duration?: number | null
  failureMessages?: string[] | null
}

const firstLine = (text = '') => stripVTControlCharacters(text).trim().split('\n')[0]?.slice(0, 300) ?? ''
const ofRun = (reason: string): Failure => ({ file: null, test: null, reason, seconds: 0 })

export const nameOf = ({ file, test }: Failure) => [file ?? 'the run', ...(test === null ? [] : [test])].join(' > ')

/** A file that failed before its first test, or a run that failed without details, counts as one failure. */
export function countTests(root: string, path: string, isFine: boolean): Counts {
  const report = readReport(path)
  if (!report) return { passed: 0, failed: 1, skipped: 0, failures: [ofRun(readStopped(path))] }
  const isBroken = (file: FileReport) =>
    file.status === 'failed' && file.assertionResults.every(result => result.status !== 'failed')
  const failed = report.numFailedTests + report.testResults.filter(isBroken).length
  const failures = report.testResults.flatMap(file => toFailures(root, file))
  const [passed, skipped] = [report.numPassedTests, report.numPendingTests + report.numTodoTests]
  if (failed > 0) return { passed, failed, skipped, failures }
  if (!isFine) failures.push(ofRun('vitest failed outside of the tests; see its output above'))
  else if (passed === 0) failures.push(ofRun('no test was run'))
  return { passed, failed: failures.length, skipped, failures }
}

function readReport(path: string): VitestReport | null {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

function readStopped(path: string): string {
  const stopped = toStoppedPath(path)
  return existsSync(stopped) ? readFileSync(stopped, 'utf8') : 'vitest ended without a report; see its output above'
}

function toFailures(root: string, { name, status, message, startTime, endTime, assertionResults }: FileReport): Failure[] {
  const failed = assertionResults.filter(result => result.status === 'failed')
  const file = relative(root, name)
  if (status === 'failed' && failed.length === 0) {
    return [{ file, test: null, reason: firstLine(message), seconds: (endTime - startTime) / 1000 }]
  }
  return failed.map(({ fullName, duration, failureMessages }) => {
    return { file, test: fullName, reason: firstLine(failureMessages?.[0]), seconds: (duration ?? 0) / 1000 }
  })
}

interface Passed {
  tests: number
  seconds: number
}

/** Returns the tests of this name, or those of the file if it is null, if they passed; null if they did not. */
export function findPassed(path: string, test: string | null): Passed | null {
  const file = readReport(path)?.testResults[0]
  const results = file?.assertionResults.filter(({ fullName }) => test === null || fullName === test) ?? []
  if (results.length === 0 || results.some(({ status }) => status === 'failed')) return null
  const passed = results.filter(({ status }) => status === 'passed')
  return { tests: passed.length, seconds: passed.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000 }
}

/** Reads what tests/measure-file.ts has noted; empty where it cannot measure. */
export function readFileTimes(path: string): FileTimes[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}
