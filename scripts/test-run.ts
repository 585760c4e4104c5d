/** Runs test steps concurrently, and starts the engines that they need. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENGINES, type EngineName } from '../tests/engines/build.ts'
import { type StartedEngine, startEngine } from '../tests/engines/start.ts'
import { type Suite, toTestEnvironment } from './test-combinations.ts'
import type { Preparation } from './test-needs.ts'
import { type Counts, countTests } from './test-report.ts'
import { listNeeds, type Step } from './test-steps.ts'

export interface Outcome extends Counts {
  step: Step
  seconds: number
}

const LANES_MAX = 4
/** Many tests wait for a server delay, a poll or an engine start. One step more than there are cores uses that time. */
const LANES_BEYOND_CORES = 1
/** This step has a higher CPU priority than the others, because browser tests expect pages to respond quickly. */
const PRIORITY_STEP = 'e2e'
/** Suites on other databases and engines, the longest first, so that none runs alone at the end. */
const SUITES: readonly Suite[] = ['faults', 'contract', 'clients', 'agreement', 'engine']

/**
 * Runs one process per step, so that waiting and computing steps use the cores together. Returns outcomes in the order of
 * `steps`.
 */
export async function runSteps(root: string, steps: readonly Step[], preparation: Preparation): Promise<Outcome[]> {
  const lanes = Math.min(availableParallelism() + LANES_BEYOND_CORES, LANES_MAX, steps.length)
  const engines = createEngines(steps)
  const waiting = toOrder(steps)
  const outcomes = new Map<Step, Outcome>()
  const runLane = async () => {
    for (let step = await takeStep(waiting, preparation); step; step = await takeStep(waiting, preparation)) {
      const leftOut = preparation.listLeftOut()
      // All tests of such a step need it, and vitest treats a file without tests as an error.
      if (step.needs.some(need => leftOut.has(need))) {
        await engines.leave(step)
        continue
      }
      console.log(`started: ${step.title}`)
      outcomes.set(step, await runStep({ root, step, env: preparation.getEnvironment(), engines, isAlone: lanes === 1 }))
    }
  }
  // By default a signal would end this process without its child processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  try {
    await Promise.all(Array.from({ length: lanes }, runLane))
  } finally {
    await engines.close()
  }
  return steps.flatMap(step => outcomes.get(step) ?? [])
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
  const begin = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const report = join(folder, 'report.json')
  const output = join(folder, 'output.txt')
  const toOutcome = (counts: Counts) => ({ ...counts, step, seconds: Math.round((performance.now() - begin) / 1000) })
  try {
    const engine = await engines.use(step)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const command = step.isVitest
      ? [...step.command, ...reporters, ...(isAlone && step.name !== PRIORITY_STEP ? [] : ['--maxWorkers=1'])]
      : step.command
    const given = step.combination ? toTestEnvironment(step.combination, engine?.url ?? null) : {}
    const isFine = await runTool(root, command, {
      env: { ...env, ...given },
      output: isAlone ? null : output,
      isAhead: step.name === PRIORITY_STEP,
    })
    const counts = step.isVitest ? countTests(root, report, isFine) : countCheck(isFine)
    if (!isAlone) process.stdout.write(`\n— ${step.title}\n${readFileSync(output, 'utf8')}\n`)
    if (counts.failed > 0 && engine) console.log(`The log of ${ENGINES[engine.name].title} ends with:\n${engine.log()}`)
    return toOutcome(counts)
  } catch (error) {
    return toOutcome({ passed: 0, failed: 1, skipped: 0, failures: [error instanceof Error ? error.message : String(error)] })
  } finally {
    await engines.leave(step)
    rmSync(folder, { recursive: true, force: true })
  }
}

const countCheck = (isFine: boolean): Counts => ({ passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0, failures: [] })

interface ToolOptions {
  env: Record<string, string>
  /** Path of a file; null for the terminal. */
  output: string | null
  isAhead: boolean
}

/** Runs a program of node_modules. It ends with this process. */
async function runTool(
  root: string,
  [program = '', ...args]: readonly string[],
  { env, output, isAhead }: ToolOptions,
): Promise<boolean> {
  const file = output === null ? 'inherit' : openSync(output, 'w')
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: ['ignore', file, file],
    env: { ...process.env, ...env },
  })
  if (typeof file === 'number') closeSync(file)
  if (!isAhead && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  const stop = () => child.kill()
  process.once('exit', stop)
  const [code] = await once(child, 'exit')
  process.off('exit', stop)
  return code === 0
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
