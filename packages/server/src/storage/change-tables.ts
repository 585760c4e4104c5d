/** Tables of the change log. */
import type { Generated } from 'kysely'

/**
 * Data that every write to a dataset changes: one short row, updated at the end of the transaction. It outlives its dataset as
 * long as the log does.
 */
export interface DatasetHeadsTable {
  /** Number that identifies the dataset in records and responses. */
  no: Generated<number>
  dataset_id: string
  /** Number of the newest entry of the dataset's log. */
  change_no: number
  /** Totals, so that progress and search need not count. */
  records_count: number
  completed_count: number
  last_activity_at: string
}

/** The change log: one row per event, for any number of records. Numbers have no gaps and are in commit order. */
export interface ChangesTable {
  dataset_id: string
  change_no: number
  event: string
  /** Numbers of the affected records (lib/packed-numbers.ts); null for none. */
  record_nos: Uint8Array | null
  /** Further details as JSON (`ChangeDetails`). */
  details: string | null
  /** Null for changes by the server itself. */
  actor_id: string | null
  inserted_at: string
}
