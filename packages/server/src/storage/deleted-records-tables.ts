/** Table of deleted records. */

/**
 * Id of a deleted record, because earlier entries of the change log contain only its number. The row is pruned together with the
 * log entry of the deletion.
 */
interface DeletedRecordsTable {
  record_no: number
  record_id: string
  /** `dataset_heads.no`. */
  dataset_no: number
  /** Number of the log entry of the deletion. */
  change_no: number
}

export interface DeletedRecordsTables {
  deleted_records: DeletedRecordsTable
}
