/**
 * A vitest reporter that ends a run in which nothing happens any more. The limits of tests end those that wait, but a test that
 * computes forever also stops the timers of its process, and the news of its start are not sent.
 */
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const CHECK_MS = 1_000
/** Beyond the limit of a test: until its news arrive, on a busy machine. */
const GRACE_MS = 30_000
/** For hooks and imports: hooks do not tell their own limits. */
const SILENCE_MS = 300_000

interface Running {
  module: TestModule
  limitMs: number
  /** Of the last news, by `performance.now()`. */
  heardAt: number
}

/** Path of the file in which the runner finds why a run has no report. */
export const toStoppedPath = (report: string): string => `${report}.stopped`

export class Watchdog implements Reporter {
  /** By id of the module. */
  readonly #running = new Map<string, Running>()
  readonly #workers: ChildProcess[] = []
  #timer: NodeJS.Timeout | undefined

  onInit(): void {
    subscribe('child_process', message => this.#workers.push((message as { process: ChildProcess }).process))
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.id, { module, limitMs: SILENCE_MS, heardAt: performance.now() })
  }

  onTestModuleCollected(module: TestModule): void {
    const { testTimeout, hookTimeout } = module.project.config
    const own = [...module.children.allTests()].map(({ options }) => options.timeout ?? testTimeout)
    const limitMs = Math.max(SILENCE_MS, hookTimeout, ...own)
    this.#running.set(module.id, { module, limitMs, heardAt: performance.now() })
  }

  onTestCaseReady({ module }: TestCase): void {
    this.#hear(module)
  }

  onTestCaseResult({ module }: TestCase): void {
    this.#hear(module)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #hear(module: TestModule): void {
    const running = this.#running.get(module.id)
    if (running) running.heardAt = performance.now()
  }

  #check(): void {
    const now = performance.now()
    const silent = [...this.#running.values()].filter(({ heardAt, limitMs }) => now > heardAt + limitMs + GRACE_MS)
    if (silent.length === 0) return
    const reason = `stopped after a long silence of ${silent.map(({ module }) => toPlace(module)).join(' and of ')}`
    console.error(reason)
    const report = process.env.POSTIL_TEST_REPORT
    if (report !== undefined) writeFileSync(toStoppedPath(report), reason)
    // A worker that computes does not notice that it is alone.
    for (const worker of this.#workers) worker.kill('SIGKILL')
    process.exit(1)
  }
}

/** News are sent in groups, so that the results of some quick tests may be missing. */
function toPlace(module: TestModule): string {
  const [next] = module.children.allTests('pending')
  return next === undefined ? module.relativeModuleId : `${module.relativeModuleId}, in or soon after “${next.fullName}”`
}
