/**
 * What the writer does besides calls, in short pieces: merged text segments, deliveries to webhooks, jobs, copying the write-ahead log,
 * pruning the change log, the audit log and webhook events.
 * These take turns, so that none waits for the end of another.
 */
import type { Context } from '../context.ts'
import { type Exchanged, type ExchangeInput, exchange } from '../features/webhooks/exchange.ts'
import { openWebhookPruner } from '../features/webhooks/prune.ts'
import { openAuditPruner } from '../jobs/prune-audit-log.ts'
import { openPruner } from '../jobs/prune-changes.ts'
import { openJobRunner } from '../jobs/worker.ts'
import { supervise } from '../lib/supervise.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'
import { replaceSegments } from '../storage/text-segments.ts'

/** Does one piece. False when there is nothing to do. */
type Step = () => Promise<boolean>

export interface Background {
  /** Stores merged text segments when it is their turn; false if the ones that they were merged from are not there any more. */
  replace(merge: TextMerge): Promise<boolean>
  /** Stores what deliveries to webhooks came to, and answers what to send next. */
  exchange(input: ExchangeInput): Promise<Exchanged>
  /** Does one piece of whatever is due. False when nothing is. */
  step: Step
  /** The same, only for what somebody waits for. */
  stepAwaited: Step
  /** The process stops: other processes need not wait for its leases. */
  release(): Promise<void>
}

export function openBackground(ctx: Context): Background {
  const runner = openJobRunner(ctx)
  const pruner = openPruner(ctx)
  const auditPruner = openAuditPruner(ctx)
  const webhookPruner = openWebhookPruner(ctx)
  const awaited = openAwaited()
  // Servers may leave it to workers (`postil server worker`). What this process's threads wait for is done here in any case.
  const isHere = ctx.config.backgroundWork
  const supervised = (name: string, work: Step): Step => {
    const supervision = supervise(work, { name, log: ctx.log })
    return async () => (await supervision.step()) ?? false
  }
  return {
    replace: ({ datasetId, replacement }) => awaited.add(() => replaceSegments(ctx.db, datasetId, replacement)),
    exchange: input => awaited.add(() => exchange(ctx, input)),
    step: isHere
      ? takeTurns([
          awaited.step,
          supervised('jobs', () => runner.step()),
          supervised('write-ahead log', () => ctx.db.copyLog()),
          supervised('change log', () => pruner.step()),
          supervised('audit log', () => auditPruner.step()),
          supervised('webhook events', () => webhookPruner.step()),
        ])
      : awaited.step,
    stepAwaited: awaited.step,
    release: runner.release,
  }
}

/** A step of the first that has something to do, beginning after the one that did something last. */
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

/** Work that another thread waits for: merged text segments, and deliveries to webhooks. */
function openAwaited() {
  /** They do not reject. */
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
