/** Messages between the main thread and its worker threads. */

import type { Id } from '@postil/domain/schema'
import type { Config } from '../config.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { HubResult, HubWork } from '../features/hub/work.ts'
import type { ExchangeInput, ExchangeResult, Outcome, Task } from '../features/webhooks/exchange.ts'
import type { Call, Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/check-call.ts'
import type { HubInput, HubOutput } from '../jobs/hub-exchange.ts'
import type { Secrets } from '../lib/secrets.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'

/**
 * - `writer`: all writes.
 * - `search`: reads over many records.
 * - `list`: other reads.
 * - `checker`: parses, checks and prepares large bodies before they go to the writer.
 * - `merger`: merges text segments.
 * - `sender`: calls webhooks.
 * - `indexer`: keeps the indexes of a search cluster up to date.
 * - `hub`: imports from and exports to the hub.
 */
export type Role = 'writer' | 'search' | 'list' | 'checker' | 'merger' | 'sender' | 'indexer' | 'hub'

export interface WorkerStart {
  role: Role
  config: Config
  secrets: Secrets
  /** Shared memory in which the writer counts for metrics. */
  counts?: SharedArrayBuffer | undefined
}

/** Requests; the response has the same id. */
export type WorkerRequest =
  | { kind: 'call'; urgent: boolean; call: Call }
  /** To the checker. */
  | { kind: 'check'; call: Call }
  /** To the writer: copies the whole write-ahead log into the database file. Readers are held back meanwhile. */
  | { kind: 'checkpoint' }
  /** To the merger. */
  | { kind: 'merge' }
  /** To the writer: stores text segments from the merger. */
  | { kind: 'replace'; merge: TextMerge }
  /** To the writer: stores the outcomes of webhook deliveries and returns the next ones to send. */
  | { kind: 'exchange'; input: ExchangeInput }
  /** To the sender: sends one delivery. */
  | { kind: 'send'; task: Task }
  /** To the sender: lists webhooks with too many waiting deliveries. */
  | { kind: 'overfull' }
  /** To the writer: stores the outcome of a hub job, or claims the next one. */
  | { kind: 'hub-job'; input: HubInput }
  /** To the hub thread. */
  | { kind: 'hub-work'; work: HubWork }

export type ToWorker =
  | (WorkerRequest & { id: number })
  /** To the writer: replaces the set of datasets that have followers. */
  | { kind: 'watch'; datasetIds: Id[] }
  /** To the writer: another process has queued jobs. To the indexer: something may have been committed. */
  | { kind: 'wake' }
  | { kind: 'close' }

export type WorkerResponse =
  | { kind: 'reply'; id: number; reply: Reply }
  | { kind: 'checked'; id: number; outcome: CheckedCall }
  | { kind: 'checkpointed'; id: number; isDone: boolean }
  /** `merge` is null if there is nothing to merge. */
  | { kind: 'merged'; id: number; merge: TextMerge | null }
  | { kind: 'replaced'; id: number; isReplaced: boolean }
  | { kind: 'exchanged'; id: number; exchanged: ExchangeResult }
  | { kind: 'sent'; id: number; outcome: Outcome }
  /** `webhooks` are their numbers. */
  | { kind: 'overfull'; id: number; webhooks: number[] }
  | { kind: 'hub-job'; id: number; output: HubOutput }
  | { kind: 'hub-work'; id: number; result: HubResult }

/** Response if the requested work failed. A failed call is answered with an error reply instead. */
export interface Failure {
  kind: 'failed'
  id: number
  message: string
  /** Code of the error, which identifies database failures. */
  code?: string
}

export function toFailure(error: unknown): Pick<Failure, 'message' | 'code'> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message, code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? { message, code } : { message }
}

export type FromWorker =
  | { kind: 'ready' }
  | WorkerResponse
  | Failure
  | { kind: 'live'; batch: LiveBatch }
  /** From the writer: events were stored that webhooks may be subscribed to. */
  | { kind: 'webhook-events' }

export function expectKind<K extends WorkerResponse['kind']>(
  answer: WorkerResponse,
  kind: K,
): Extract<WorkerResponse, { kind: K }> {
  if (answer.kind !== kind) throw new Error(`a thread answered \`${answer.kind}\` instead of \`${kind}\``)
  return answer as Extract<WorkerResponse, { kind: K }>
}
