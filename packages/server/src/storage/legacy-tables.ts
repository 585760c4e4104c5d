/** Tables of the legacy routes. */
import type { Generated } from 'kysely'

export interface LegacyDatasetsTable {
  no: Generated<number>
  id: string
  workspace_id: string
  name: string
  task: string
  /** JSON. */
  tags: string
  metadata: string
  /** JSON; null if none were saved. */
  settings: string | null
  /** JSON array of labelling rules. */
  rules: string
  /** JSON with the properties that the first records determine for all others (legacy/datasets-store.ts). */
  facts: string
  is_closed: number
  /** Username. */
  created_by: string | null
  created_at: string
  last_updated: string
  /** Incremented with every write of records. */
  change_no: number
  /** Change number of the last deletion. */
  deleted_no: number
}

export interface LegacyRecordsTable {
  dataset_no: number
  id: string
  /** JSON. */
  content: string
  /** JSON, in its own column because most reads do not need it. */
  vectors: string | null
  /** Change number of the dataset at the last write of this record. */
  change_no: number
}

export interface LegacyTables {
  legacy_datasets: LegacyDatasetsTable
  legacy_records: LegacyRecordsTable
}
