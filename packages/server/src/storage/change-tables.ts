/** The tables of the change log. */
import type { Generated } from 'kysely'

/** What every write to a dataset changes: one short row, updated at the end of the transaction. It outlives its dataset with the log. */
export interface DatasetHeadsTable {
  /** The number by which records and responses know their dataset. */
  no: Generated<number>
  dataset_id: string
  /** The number of the newest entry of the dataset's log. */
  change_no: number
  /** Totals, so that progress and search never count. */
  records_count: number
  completed_count: number
  last_activity_at: string
}

/** The change log: one row per event, however many records it is about. Numbers have no gaps and are in commit order. */
export interface ChangesTable {
  dataset_id: string
  change_no: number
  event: string
  /** The numbers of the affected records (lib/packed-numbers.ts); null for none. */
  record_nos: Uint8Array | null
  /** What record numbers do not say, as JSON (`ChangeDetails`). */
  details: string | null
  /** Null: the server itself. */
  actor_id: string | null
  inserted_at: string
}
