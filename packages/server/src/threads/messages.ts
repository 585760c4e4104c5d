/** What the main thread and its workers say to each other. */

import type { Id } from '@postil/domain/schema'
import type { Config } from '../config.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Call, Reply } from '../http/call.ts'
import type { Secrets } from '../lib/secrets.ts'

/**
 * `writer`: everything that writes. `search`: what runs over many records. `list`: other reads. `checker`: parses and checks
 * large bodies before they go to the writer.
 */
export type Role = 'writer' | 'search' | 'list' | 'checker'

export interface WorkerStart {
  role: Role
  config: Config
  secrets: Secrets
}

/** Answered with the same id. */
export type Ask =
  | { kind: 'call'; urgent: boolean; call: Call }
  /** To the checker. */
  | { kind: 'check'; call: Call }
  /** To the writer: readers are held back, so that the whole write-ahead log can be copied into the database file. */
  | { kind: 'checkpoint' }

export type ToWorker =
  | (Ask & { id: number })
  /** To the writer: the datasets that somebody has open, all of them. */
  | { kind: 'watch'; datasetIds: Id[] }
  | { kind: 'close' }

export type Answer =
  | { kind: 'reply'; id: number; reply: Reply }
  /** What was read and checked (`http/checked-input.ts`), or the answer to a call with a fault. */
  | { kind: 'checked'; id: number; outcome: { checked: Uint8Array } | { refusal: Reply } }
  | { kind: 'checkpointed'; id: number; isDone: boolean }

export type FromWorker = { kind: 'ready' } | Answer | { kind: 'live'; batch: LiveBatch }
