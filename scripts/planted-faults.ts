/**
 * Plants faults in copies of the repository, one at a time, and shows which test notices each (tests/planted-faults).
 *
 *   npm run faults                                 all faults, unit tests first, then contract tests
 *   npm run faults -- --level unit --jobs 14       only unit tests, in 14 copies
 *   npm run faults -- --only user-order,cookie-secure
 *   npm run faults -- --trust                      without checking first that all tests pass without a fault
 *
 * Ends with code 1 if no test notices a fault.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Copy, openCopy } from '../tests/planted-faults/copy.ts'
import { FAULT_GROUPS, type FaultGroup, type PlantedFault } from '../tests/planted-faults/list.ts'
import { findFailure, LEVELS, type Level, type Run, runsOf } from '../tests/planted-faults/runs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const REPORT = join(ROOT, 'node_modules/.cache/planted-faults.json')

interface Result {
  id: string
  what: string
  /** File and name of the test that failed first; null if all passed. */
  caught_by: string | null
  seconds: number
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      level: { type: 'string', default: 'all' },
      only: { type: 'string', multiple: true },
      jobs: { type: 'string', default: '1' },
      trust: { type: 'boolean', default: false },
    },
  })
  const level = LEVELS.find(known => known === values.level)
  if (!level) throw new Error(`${values.level}: no such level. Levels: ${LEVELS.join(', ')}`)
  const jobs = Number(values.jobs)
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs must be a positive number')
  const only = values.only?.flatMap(ids => ids.split(','))
  const known = new Set(FAULT_GROUPS.flatMap(({ faults }) => faults.map(({ id }) => id)))
  const unknown = only?.filter(id => !known.has(id)) ?? []
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: no such fault`)
  const isWanted = ({ id }: PlantedFault) => only === undefined || only.includes(id)
  const groups = FAULT_GROUPS.map(group => ({ ...group, faults: group.faults.filter(isWanted) }))
  return { level, jobs, trust: values.trust, groups: groups.filter(({ faults }) => faults.length > 0) }
}

/** Runs the tasks, each in one of the copies. */
async function inCopies<T>(
  copies: readonly Copy[],
  tasks: readonly T[],
  run: (copy: Copy, task: T) => Promise<void>,
): Promise<void> {
  const waiting = [...tasks]
  await Promise.all(
    copies.map(async copy => {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await run(copy, task)
    }),
  )
}

/** A test that fails without a fault would seem to notice every fault. */
async function checkWithoutFault(copies: readonly Copy[], groups: readonly FaultGroup[], level: Level): Promise<void> {
  const runs = new Map(
    groups.flatMap(group => group.faults.flatMap(fault => runsOf(group, fault, level))).map(run => [JSON.stringify(run), run]),
  )
  console.log(`Running ${runs.size} sets of tests without a fault`)
  await inCopies(copies, [...runs.values()], async (copy, run) => {
    const failure = await findFailure(copy, run)
    if (failure !== null) throw new Error(`This test fails without a fault: ${failure}`)
  })
}

async function plant(copy: Copy, fault: PlantedFault, runs: readonly Run[]): Promise<Result> {
  const begin = performance.now()
  const heal = copy.plant(fault)
  let caught: string | null = null
  try {
    for (const run of runs) {
      caught ??= await findFailure(copy, run)
      if (caught !== null) break
    }
  } finally {
    heal()
  }
  return { id: fault.id, what: fault.what, caught_by: caught, seconds: Math.round((performance.now() - begin) / 1000) }
}

async function main(): Promise<void> {
  const { level, jobs, trust, groups } = readOptions()
  const tasks = groups.flatMap(group => group.faults.map(fault => ({ fault, runs: runsOf(group, fault, level) })))
  const copies = Array.from({ length: Math.min(jobs, tasks.length) }, () => openCopy(ROOT))
  const results: Result[] = []
  try {
    if (!trust) await checkWithoutFault(copies, groups, level)
    await inCopies(copies, tasks, async (copy, { fault, runs }) => {
      const result = await plant(copy, fault, runs)
      results.push(result)
      console.log([result.id, result.caught_by ?? 'NOT CAUGHT', `${result.seconds} s`].join(' | '))
    })
  } finally {
    for (const copy of copies) copy.close()
  }
  mkdirSync(join(REPORT, '..'), { recursive: true })
  writeFileSync(REPORT, `${JSON.stringify({ level, results: results.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }, null, 2)}\n`)
  const missed = results.filter(({ caught_by }) => caught_by === null)
  console.log(`\n${results.length - missed.length} of ${results.length} faults caught. All results: ${REPORT}`)
  for (const { id, what } of missed) console.log(`Not caught: ${id} (${what})`)
  process.exitCode = missed.length > 0 ? 1 : 0
}

await main()
