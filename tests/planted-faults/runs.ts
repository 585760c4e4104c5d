/** Runs the tests of a group of faults in a copy of the repository. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Copy } from './copy.ts'
import type { FaultGroup, PlantedFault } from './list.ts'

export const LEVELS = ['unit', 'contract', 'all'] as const
export type Level = (typeof LEVELS)[number]

/** Arguments of one run of vitest: paths, and a pattern for the names of tests. */
export interface Run {
  paths: readonly string[]
  names?: string
}

/** A fault can make a test wait forever; its own time limit ends it earlier. */
const LIMIT_MS = 600_000

/** Tables of cases over all routes, in which the id of a route is the first word of a test's name. */
const TABLES = ['permissions', 'audit-log', 'routes'] as const

/** Returns the runs in the order in which they are made until a test fails; the most likely one comes first. */
export function runsOf({ unit, contract, routes }: FaultGroup, { find }: PlantedFault, level: Level): Run[] {
  const likely = find.includes('allow(') ? 'permissions' : find.includes('audit') ? 'audit-log' : null
  const names = `\\b(${routes.join('|')})\\b`
  const tables = routes.length === 0 ? [] : TABLES.toSorted((a, b) => Number(b === likely) - Number(a === likely))
  const ofRoutes = tables.map(table => ({ paths: [`tests/contract/${table}.test.ts`], names }))
  const files = contract.map(name => ({ paths: [`tests/contract/${name}.test.ts`] }))
  return [
    ...(level === 'contract' ? [] : [{ paths: unit }]),
    ...(level === 'unit'
      ? []
      : likely === null
        ? [...files, ...ofRoutes]
        : [...ofRoutes.slice(0, 1), ...files, ...ofRoutes.slice(1)]),
  ]
}

interface Test {
  status: string
  fullName: string
  failureMessages: string[]
}

interface Report {
  success: boolean
  testResults: { name: string; status: string; message: string; assertionResults: Test[] }[]
}

/** On a busy machine, a test that timed out may not have noticed the fault. */
const toName = ({ fullName, failureMessages }: Test) =>
  failureMessages.some(text => text.includes('timed out')) ? `${fullName} (timed out)` : fullName

/** Returns the file and name of the test that failed first, or null if all passed. */
export async function findFailure({ folder }: Copy, { paths, names }: Run): Promise<string | null> {
  const output = join(folder, 'planted-fault-report.json')
  rmSync(output, { force: true })
  const program = join(folder, 'node_modules/vitest/vitest.mjs')
  const options = ['--bail=1', '--maxWorkers=1', '--reporter=json', `--outputFile=${output}`]
  const args = [program, 'run', ...paths, ...options, ...(names === undefined ? [] : ['-t', names])]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-2_000)
  })
  const code = await new Promise(resolve => child.once('close', resolve))
  // With `--bail`, the exit code is 0 although a test failed.
  if (!existsSync(output)) return code === null ? `no end of ${paths.join(' ')}` : `${paths.join(' ')}: ${errors.trim()}`
  const { success, testResults }: Report = JSON.parse(readFileSync(output, 'utf8'))
  if (success && code === 0) return null
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter(test => test.status === 'failed').map(toName)
    const whole = failed.length === 0 && status === 'failed' ? [message.split('\n', 1)[0] ?? ''] : failed
    return whole.map(test => `${relative(folder, name)} > ${test}`)
  })
  return failures[0] ?? `${paths.join(' ')}: ${errors.trim()}`
}
