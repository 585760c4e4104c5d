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
  /** `refusal` is the answer to a body with a fault; otherwise the body comes back. */
  | { kind: 'checked'; id: number; refusal: Reply | null; body: Uint8Array | null }
  | { kind: 'checkpointed'; id: number; isDone: boolean }

export type FromWorker = { kind: 'ready' } | Answer | { kind: 'live'; batch: LiveBatch }
