/** Job payload of an export. */
import type { ExportOrder } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'

export interface FileExportPayload {
  dataset_id: Id
  /** User who started the export. */
  actor_id: Id
  order: ExportOrder
  /** Each attempt writes its own file, so that an attempt that was presumed dead cannot change the file of a later one. */
  file_id: Id
  /** Number of records written. */
  done: number
  /** Null until the search has finished. */
  total: number | null
}
