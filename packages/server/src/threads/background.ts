/**
 * Background work of the writer between calls, in short steps: merged text segments, webhook deliveries, jobs, checkpoints of the
 * write-ahead log, pruning of the change log, the audit log, webhook events and files, and database statistics. These tasks take
 * turns, so that none waits for another to finish.
 */
import type { Context } from '../context.ts'
import { type ExchangeInput, type ExchangeResult, exchange } from '../features/webhooks/exchange.ts'
import { createWebhookPruner } from '../features/webhooks/prune.ts'
import { createHubExchange, type HubInput, type HubOutput } from '../jobs/hub-exchange.ts'
import { createAuditPruner } from '../jobs/prune-audit-log.ts'
import { createChangePruner } from '../jobs/prune-changes.ts'
import { createFilePruner } from '../jobs/prune-files.ts'
import { openJobRunner } from '../jobs/worker.ts'
import { supervise } from '../lib/supervise.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { createStatisticsStep } from '../storage/statistics.ts'
import { isOutage } from '../storage/storage-failure.ts'
import { replaceSegments } from '../storage/text-segments.ts'

/** Runs one step. Returns false if there is nothing to do. */
type Step = () => Promise<boolean>

export interface Background {
  /** Stores merged text segments when it is their turn; resolves with false if the source segments no longer exist. */
  replace(merge: TextMerge): Promise<boolean>
  /** Stores the outcomes of webhook deliveries and returns the next ones to send. */
  exchange(input: ExchangeInput): Promise<ExchangeResult>
  /** Stores the outcome of a hub job, or claims the next one. */
  runHub(input: HubInput): Promise<HubOutput>
  /** Runs one step of the next task that has work. Returns false if there is nothing to do. */
  step: Step
  /** Like `step`, but only for work that another thread waits for. */
  stepAwaited: Step
  /** Releases the leases of this process when it stops, so that other processes can claim its jobs immediately. */
  release(): Promise<void>
}

export function createBackground(ctx: Context): Background {
  const runner = openJobRunner(ctx)
  const pruner = createChangePruner(ctx)
  const auditPruner = createAuditPruner(ctx)
  const webhookPruner = createWebhookPruner(ctx)
  const filePruner = createFilePruner(ctx)
  const awaited = createAwaitedWork()
  const hubExchange = createHubExchange(ctx)
  // Servers may leave background work to workers (`postil server worker`). Work that threads of this process wait for always runs
  // here.
  const isHere = ctx.config.backgroundWork
  const supervised = (name: string, work: Step): Step => {
    const supervision = supervise(work, { name, log: ctx.log, isOutage })
    return async () => (await supervision.step()) ?? false
  }
  return {
    replace: ({ datasetId, replacement }) => awaited.add(() => replaceSegments(ctx.db, datasetId, replacement)),
    exchange: input => awaited.add(() => exchange(ctx, input)),
    runHub: input => awaited.add(() => hubExchange.run(input)),
    step: isHere
      ? takeTurns([
          awaited.step,
          supervised('jobs', () => runner.step()),
          supervised('write-ahead log', () => ctx.db.copyLog()),
          supervised('change log', () => pruner.step()),
          supervised('audit log', () => auditPruner.step()),
          supervised('webhook events', () => webhookPruner.step()),
          supervised('files', () => filePruner.step()),
          supervised('statistics', createStatisticsStep(ctx.db)),
        ])
      : awaited.step,
    stepAwaited: awaited.step,
    release: runner.release,
  }
}

/** Round-robin: runs the first task that has work, starting after the one that ran last. */
export function takeTurns(steps: readonly Step[]): Step {
  let order = [...steps]
  return async () => {
    for (const [index, step] of order.entries()) {
      if (!(await step())) continue
      order = [...order.slice(index + 1), ...order.slice(0, index + 1)]
      return true
    }
    return false
  }
}

/** Queue of work that another thread waits for: merged text segments, webhook deliveries, hub jobs. */
function createAwaitedWork() {
  /** These functions never reject. */
  const waiting: (() => Promise<void>)[] = []
  return {
    add: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        waiting.push(() => work().then(resolve, reject))
      }),
    step: async () => {
      const next = waiting.shift()
      await next?.()
      return next !== undefined
    },
  }
}
