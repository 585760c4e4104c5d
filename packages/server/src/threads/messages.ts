/** What the main thread and its workers say to each other. */

import type { Id } from '@postil/domain/schema'
import type { Config } from '../config.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Call, Reply } from '../http/call.ts'
import type { Secrets } from '../lib/secrets.ts'

export interface WorkerStart {
  role: 'writer' | 'reader'
  config: Config
  secrets: Secrets
}

export type ToWorker =
  | { kind: 'call'; id: number; urgent: boolean; call: Call }
  /** To the writer: the datasets that somebody has open, all of them. */
  | { kind: 'watch'; datasetIds: Id[] }
  | { kind: 'close' }

export type FromWorker = { kind: 'ready' } | { kind: 'reply'; id: number; reply: Reply } | { kind: 'live'; batch: LiveBatch }
