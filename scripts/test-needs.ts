/** Requirements of test steps beyond npm packages. A worker thread prepares them while the first steps run. */
import { Worker } from 'node:worker_threads'
import type { EngineName } from '../tests/engines/build.ts'

export type Need =
  | 'postgres'
  | 'postgres-tools'
  | 'python-sdk'
  | 'python-legacy'
  | 'python-argilla'
  | 'schemathesis'
  | 'chromium'
  | 'firefox'
  | 'webkit'
  | EngineName

/** A problem, or environment variables for the tests. */
export type PrepareResult = { reason: string } | { env: Record<string, string> }

/** What the worker thread is given. */
export interface NeedsToPrepare {
  root: string
  needs: readonly Need[]
}

/** What the worker thread reports. */
export interface PreparedNeed {
  need: Need
  result: PrepareResult
}

export class Preparation {
  readonly #results = new Map<Need, PrepareResult>()
  readonly #worker: Worker
  #change = Promise.withResolvers<void>()

  /** Prepares the requirements in the given order. */
  constructor(root: string, needs: ReadonlySet<Need>) {
    const workerData: NeedsToPrepare = { root, needs: [...needs] }
    this.#worker = new Worker(new URL('prepare-needs.ts', import.meta.url), { workerData })
    this.#worker.on('message', ({ need, result }: PreparedNeed) => this.#add(need, result))
    this.#worker.on('error', error => {
      for (const need of needs) {
        if (!this.#results.has(need)) this.#add(need, { reason: `its preparation failed: ${error.message}` })
      }
    })
  }

  #add(need: Need, result: PrepareResult): void {
    this.#results.set(need, result)
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  isDone(needs: readonly Need[]): boolean {
    return needs.every(need => this.#results.has(need))
  }

  /** Waits until another requirement is prepared. */
  waitForNext(): Promise<void> {
    return this.#change.promise
  }

  /** Returns the requirements that this machine cannot meet, with the reasons. */
  listLeftOut(): Map<Need, string> {
    return new Map([...this.#results].flatMap(([need, result]) => ('reason' in result ? [[need, result.reason] as const] : [])))
  }

  /**
   * Returns the environment for the tests. POSTIL_TEST_LEFT_OUT, a comma-separated list, passes missing requirements to the tests,
   * which do not register tests that need them.
   */
  getEnvironment(): Record<string, string> {
    const env = [...this.#results.values()].map(result => ('env' in result ? result.env : {}))
    return Object.assign({ POSTIL_TEST_LEFT_OUT: [...this.listLeftOut().keys()].join(',') }, ...env)
  }

  /** An installation that is still running ends with this process. */
  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
