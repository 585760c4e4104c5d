/** Runs test steps concurrently, and starts the engines that they need. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresDoor } from '../tests/databases/postgres-door.ts'
import { ENGINES, type EngineName } from '../tests/engines/build.ts'
import { type StartedEngine, startEngine } from '../tests/engines/start.ts'
import { runTool } from './run-tool.ts'
import { runAgain, type Unstable } from './test-again.ts'
import { type Suite, toTestEnvironment } from './test-combinations.ts'
import type { Preparation } from './test-needs.ts'
import { type Counts, countTests, type FileTimes, readFileTimes } from './test-report.ts'
import { listNeeds, projectOf, type Step } from './test-steps.ts'

export interface Outcome extends Counts {
  step: Step
  seconds: number
  /** Null where the system does not tell. */
  processorSeconds: number | null
  files: FileTimes[]
}

export interface Finished {
  outcomes: Outcome[]
  unstable: Unstable[]
}

const LANES_MAX = 4
/** Many tests wait for a server delay, a poll or an engine start. One step more than there are cores uses that time. */
const LANES_BEYOND_CORES = 1
/** This step has a higher CPU priority than the others, because browser tests expect pages to respond quickly. */
const PRIORITY_STEP = 'e2e'
/** Suites on other databases and engines, the longest first, so that none runs alone at the end. */
const SUITES: readonly Suite[] = ['faults', 'contract', 'clients', 'agreement', 'engine']

/**
 * Runs one process per step, so that waiting and computing steps use the cores together, and then what has failed once more.
 * Returns outcomes in the order of `steps`.
 */
export async function runSteps(root: string, steps: readonly Step[], preparation: Preparation): Promise<Finished> {
  const lanes = Math.min(availableParallelism() + LANES_BEYOND_CORES, LANES_MAX, steps.length)
  const engines = createEngines(steps)
  const waiting = toOrder(steps)
  const ended = new Map<Step, Outcome>()
  const postgres = await openPostgresDoor()
  const getEnvironment = () => ({ ...preparation.getEnvironment(), POSTIL_TEST_POSTGRES_DOOR: postgres.url })
  const runLane = async () => {
    for (let step = await takeStep(waiting, preparation); step; step = await takeStep(waiting, preparation)) {
      const leftOut = preparation.listLeftOut()
      // All tests of such a step need it, and vitest treats a file without tests as an error.
      if (step.needs.some(need => leftOut.has(need))) {
        await engines.leave(step)
        continue
      }
      console.log(`started: ${step.title}`)
      ended.set(step, await runStep({ root, step, env: getEnvironment(), engines, isAlone: lanes === 1 }))
    }
  }
  // By default a signal would end this process without its child processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  try {
    await Promise.all(Array.from({ length: lanes }, runLane))
    await engines.close()
    const outcomes = steps.flatMap(step => ended.get(step) ?? [])
    return { outcomes, unstable: await repeatFailures(root, outcomes, getEnvironment()) }
  } finally {
    await engines.close()
    await postgres.close()
  }
}

/** Takes the first step whose requirements are prepared, or waits for one. */
async function takeStep(waiting: Step[], preparation: Preparation): Promise<Step | undefined> {
  while (waiting.length > 0) {
    const index = waiting.findIndex(step => preparation.isDone(listNeeds(step)))
    if (index >= 0) return waiting.splice(index, 1)[0]
    await preparation.waitForNext()
  }
  return undefined
}

/** The browser tests take longest and start first, then checks and projects in their order. */
export function toOrder(steps: readonly Step[]): Step[] {
  const rankOf = ({ name, suite }: Step) => (name === PRIORITY_STEP ? -2 : suite === null ? -1 : SUITES.indexOf(suite))
  return steps.toSorted((a, b) => rankOf(a) - rankOf(b))
}

interface StepRun {
  root: string
  step: Step
  env: Record<string, string>
  engines: Engines
  /** True if no other step writes to the terminal. */
  isAlone: boolean
}

async function runStep({ root, step, env, engines, isAlone }: StepRun): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const output = isAlone ? null : join(folder, 'output.txt')
  const begin = performance.now()
  try {
    const engine = await engines.use(step)
    const run = { root, step, env, engineUrl: engine?.url ?? null, folder, output }
    const ran = await runTests(run, isAlone && step.name !== PRIORITY_STEP ? [] : ['--maxWorkers=1'])
    const counts = step.isVitest ? countTests(root, ran.report, ran.isFine) : countCheck(ran.isFine)
    if (output !== null) process.stdout.write(`\n— ${step.title}\n${readFileSync(output, 'utf8')}\n`)
    if (counts.failed > 0 && engine) console.log(`The log of ${ENGINES[engine.name].title} ends with:\n${engine.log()}`)
    const files = readFileTimes(ran.files)
    return { ...counts, step, seconds: ran.seconds, processorSeconds: addUp(ran.processorSeconds, files), files }
  } catch (error) {
    const failure = { file: null, test: null, reason: error instanceof Error ? error.message : String(error), seconds: 0 }
    const seconds = (performance.now() - begin) / 1000
    return { passed: 0, failed: 1, skipped: 0, failures: [failure], step, seconds, processorSeconds: null, files: [] }
  } finally {
    await engines.leave(step)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The step does not see programs that nobody waited for, such as those of browsers. The times of its files have most of them. */
const addUp = (processorSeconds: number | null, files: readonly FileTimes[]): number | null =>
  processorSeconds === null
    ? null
    : Math.max(
        processorSeconds,
        files.reduce((sum, file) => sum + file.processorSeconds, 0),
      )

const countCheck = (isFine: boolean): Counts => ({ passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0, failures: [] })

interface TestRun {
  root: string
  step: Step
  env: Record<string, string>
  engineUrl: string | null
  /** For the reports. */
  folder: string
  output: string | null
}

/** Runs the program of a step, or vitest with other arguments. */
async function runTests(
  { root, step, env, engineUrl, folder, output }: TestRun,
  args: readonly string[],
  command = step.command,
) {
  const [report, files] = [join(folder, 'report.json'), join(folder, 'files.jsonl')]
  const given = step.combination ? toTestEnvironment(step.combination, engineUrl) : {}
  const ran = await runTool(step.isVitest ? [...command, ...args] : command, {
    root,
    env: { ...env, ...given, POSTIL_TEST_REPORT: report, POSTIL_TEST_FILE_TIMES: files },
    output,
    isAhead: step.name === PRIORITY_STEP,
  })
  return { ...ran, report, files }
}

/** Runs the failed files of all steps again, one at a time. */
async function repeatFailures(root: string, outcomes: readonly Outcome[], env: Record<string, string>): Promise<Unstable[]> {
  const engines = createEngines([])
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  try {
    return await runAgain(outcomes, async ({ step }, file) => {
      const engine = await engines.use(step)
      const run = { root, step, env, engineUrl: engine?.url ?? null, folder, output: null }
      rmSync(join(folder, 'report.json'), { force: true })
      return runTests(run, ['--maxWorkers=1', '--retry=0'], ['vitest/vitest.mjs', 'run', '--project', projectOf(step), file])
    })
  } finally {
    await engines.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Engines {
  /** Returns the engine of a step, started for the first step that needs it. */
  use(step: Step): Promise<StartedEngine | null>
  /** Stops the engine after the last step that needs it. */
  leave(step: Step): Promise<void>
  close(): Promise<void>
}

function createEngines(steps: readonly Step[]): Engines {
  const engineOf = ({ combination }: Step): EngineName | null =>
    combination === null || combination.engine === 'embedded' ? null : combination.engine
  const started = new Map<EngineName, Promise<StartedEngine>>()
  const left = new Map<EngineName, number>()
  for (const step of steps) {
    const name = engineOf(step)
    if (name) left.set(name, (left.get(name) ?? 0) + 1)
  }
  const stop = async (name: EngineName) => {
    const starting = started.get(name)
    started.delete(name)
    // If the engine could not be started, its steps have failed already.
    const engine = await starting?.catch(() => null)
    await engine?.stop()
  }
  return {
    use: async step => {
      const name = engineOf(step)
      if (name === null) return null
      const starting = started.get(name) ?? startEngine(name)
      started.set(name, starting)
      return starting
    },
    leave: async step => {
      const name = engineOf(step)
      if (name === null) return
      left.set(name, (left.get(name) ?? 0) - 1)
      if (left.get(name) === 0) await stop(name)
    },
    close: async () => {
      for (const name of [...started.keys()]) await stop(name)
    },
  }
}
