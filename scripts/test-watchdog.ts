/**
 * A vitest reporter that ends a run in which nothing happens any more. The limits of tests end those that wait, but a test that
 * computes forever also stops the timers of its process.
 */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

const CHECK_MS = 1_000
/** Beyond the limit of a test: until its report arrives, on a busy machine. */
const GRACE_MS = 30_000

export class Watchdog implements Reporter {
  readonly #running = new Map<string, string>()
  #limitMs = 0
  #last = performance.now()
  #timer: NodeJS.Timeout | undefined

  onInit(vitest: Vitest): void {
    this.#limitMs = Math.max(...vitest.projects.map(({ config }) => Math.max(config.testTimeout, config.hookTimeout)))
    const given = Number(process.env.POSTIL_TEST_WATCHDOG_MS ?? 0)
    if (given > 0) this.#limitMs = given
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  onTestModuleStart(module: TestModule): void {
    this.#note(module.id, module.relativeModuleId)
  }

  onTestCaseReady(test: TestCase): void {
    this.#note(test.module.id, `${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestCaseResult(test: TestCase): void {
    this.#note(test.module.id, `${test.module.relativeModuleId}, after ${test.fullName}`)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id)
    this.#last = performance.now()
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #note(id: string, name: string): void {
    this.#running.set(id, name)
    this.#last = performance.now()
  }

  #check(): void {
    const silent = performance.now() - this.#last
    if (this.#running.size === 0 || silent < this.#limitMs + GRACE_MS) return
    const names = [...this.#running.values()].join('\n  ')
    console.error(`No test has ended for ${Math.round(silent / 1000)} s, so the run is stopped. Running:\n  ${names}`)
    process.exit(1)
  }
}
