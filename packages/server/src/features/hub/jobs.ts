/** Payloads of jobs in the hub thread. The writer stores them with every step, so that a restart continues after the last one. */
import type { HubImport, SkippedRows } from '@postil/domain/hub'
import type { Id } from '@postil/domain/schema'
import type { FileExportPayload } from '../exports/jobs.ts'
import { FILE_IMPORT, type FileImportPayload } from '../imports/jobs.ts'

export const HUB_JOBS = ['hub-import', 'hub-export', 'file-export', FILE_IMPORT] as const
export type HubJobName = (typeof HUB_JOBS)[number]

/** Files of a split at one commit, so that changes to the repository do not affect a running import. */
export interface HubSource {
  revision: string
  /** In order, with the number of rows to import from each. */
  files: { path: string; rows: number }[]
}

export interface ImportPayload extends HubImport {
  dataset_id: Id
  /** User who started the import; records are written on their behalf. */
  actor_id: Id
  source: HubSource | null
  /** Rows stored or skipped; the next batch starts here. */
  done: number
  total: number | null
  skipped: SkippedRows
}

export interface ExportPayload {
  dataset_id: Id
  actor_id: Id
  name: string
  subset: string
  split: string
  private: boolean
  /** Encrypted token; null after the job has ended. */
  token: string | null
  /** Records written to files. */
  done: number
  total: number
}

export type HubPayloads = {
  'hub-import': ImportPayload
  'hub-export': ExportPayload
  'file-export': FileExportPayload
  'file-import': FileImportPayload
}

/** A job taken from the queue. The end of its lease also serves as the lease token. */
export type HubJob = {
  [N in HubJobName]: { id: Id; name: N; payload: HubPayloads[N]; attempts: number; leased_until: string }
}[HubJobName]
