/** What the main thread and its workers say to each other. */

import type { Config } from '../config.ts'
import type { Call, Reply } from '../http/call.ts'
import type { Secrets } from '../lib/secrets.ts'

export interface WorkerStart {
  role: 'writer' | 'reader'
  config: Config
  secrets: Secrets
}

export type ToWorker = { kind: 'call'; id: number; urgent: boolean; call: Call } | { kind: 'close' }

export type FromWorker = { kind: 'ready' } | { kind: 'reply'; id: number; reply: Reply }
