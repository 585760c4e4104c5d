/** What the main thread and its workers say to each other. */

import type { Id } from '@postil/domain/schema'
import type { Config } from '../config.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Exchanged, ExchangeInput, Outcome, Task } from '../features/webhooks/exchange.ts'
import type { Call, Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/check-call.ts'
import type { Secrets } from '../lib/secrets.ts'
import type { TextMerge } from '../search/embedded/merge-datasets.ts'

/**
 * `writer`: everything that writes. `search`: what runs over many records. `list`: other reads. `checker`: parses, checks and
 * prepares large bodies before they go to the writer. `merger`: merges text segments. `sender`: calls webhooks.
 * `indexer`: keeps the indexes of a search cluster up to date.
 */
export type Role = 'writer' | 'search' | 'list' | 'checker' | 'merger' | 'sender' | 'indexer'

export interface WorkerStart {
  role: Role
  config: Config
  secrets: Secrets
  /** Of the writer: where it counts for metrics. */
  counts?: SharedArrayBuffer | undefined
}

/** Answered with the same id. */
export type Ask =
  | { kind: 'call'; urgent: boolean; call: Call }
  /** To the checker. */
  | { kind: 'check'; call: Call }
  /** To the writer: readers are held back, so that the whole write-ahead log can be copied into the database file. */
  | { kind: 'checkpoint' }
  /** To the merger. */
  | { kind: 'merge' }
  /** To the writer: text segments that the merger has merged. */
  | { kind: 'replace'; merge: TextMerge }
  /** To the writer: what deliveries to webhooks came to, and what to send next. */
  | { kind: 'exchange'; input: ExchangeInput }
  /** To the sender: one delivery. */
  | { kind: 'send'; task: Task }
  /** To the sender: webhooks for which too much waits. */
  | { kind: 'overfull' }

export type ToWorker =
  | (Ask & { id: number })
  /** To the writer: the datasets that somebody has open, all of them. */
  | { kind: 'watch'; datasetIds: Id[] }
  /** To the writer: another process has queued jobs. To the indexer: something may have been committed. */
  | { kind: 'wake' }
  | { kind: 'close' }

export type Answer =
  | { kind: 'reply'; id: number; reply: Reply }
  | { kind: 'checked'; id: number; outcome: CheckedCall }
  | { kind: 'checkpointed'; id: number; isDone: boolean }
  /** Null if there is nothing to merge. */
  | { kind: 'merged'; id: number; merge: TextMerge | null }
  | { kind: 'replaced'; id: number; isReplaced: boolean }
  | { kind: 'exchanged'; id: number; exchanged: Exchanged }
  | { kind: 'sent'; id: number; outcome: Outcome }
  /** Their numbers. */
  | { kind: 'overfull'; id: number; webhooks: number[] }

/** The work that was asked for failed. Calls are answered with an error reply instead. */
export interface Failure {
  kind: 'failed'
  id: number
  message: string
}

export type FromWorker =
  | { kind: 'ready' }
  | Answer
  | Failure
  | { kind: 'live'; batch: LiveBatch }
  /** From the writer: something happened that webhooks may want to know. */
  | { kind: 'webhook-events' }

export function expectKind<K extends Answer['kind']>(answer: Answer, kind: K): Extract<Answer, { kind: K }> {
  if (answer.kind !== kind) throw new Error(`a thread answered \`${answer.kind}\` instead of \`${kind}\``)
  return answer as Extract<Answer, { kind: K }>
}
