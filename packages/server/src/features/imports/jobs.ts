/** Job payload of a file import. The writer stores it with every batch, so that a restart continues after the last one. */
import type { ImportMapping, ImportRows, ImportSource, RejectedRow } from '@postil/domain/imports'
import type { Id } from '@postil/domain/schema'
import type { Cursor } from './tables/table.ts'

export const FILE_IMPORT = 'file-import' as const

export interface FileImportPayload {
  dataset_id: Id
  /** User who started the import; records are written on their behalf. */
  actor_id: Id
  upload_id: Id
  /** Name of the file. */
  name: string
  mapping: ImportMapping
  dry_run: boolean
  on_conflict: 'update' | 'skip'
  stop_after_rejects: number | null
  /** Source settings as requested; complete after the file was opened. */
  source: ImportSource | null
  /** Null until the file is opened. */
  columns: string[] | null
  /** Null at the start. */
  cursor: Cursor | null
  rows: ImportRows
  errors: RejectedRow[]
  /** File of rejected rows, and its number of valid bytes. */
  rejects: { file_id: Id; bytes: number } | null
  /** Progress in bytes of the file. */
  done: number
  total: number
}

/** Rows read as one batch. */
export interface FileBatch {
  source: ImportSource
  columns: string[]
  cursor: Cursor
  done: number
  read: number
  /** Rows skipped because their records exist. */
  skipped: number
  /** Result of a dry run: how many records the rows would create and update. */
  wouldCreate: number
  wouldUpdate: number
  rejected: number
  /** The first rejected rows. */
  errors: RejectedRow[]
  rejects: FileImportPayload['rejects']
  /** Output of the bulk upsert's `prepare` for the remaining rows; null if there are none, and in a dry run. */
  prepared: Uint8Array | null
  externalIds: string[]
}
