/** The table of deleted records. */

/** The id of a deleted record: earlier entries of the change log name the record by its number. It goes with the entry that says so. */
interface DeletedRecordsTable {
  record_no: number
  record_id: string
  /** `dataset_heads.no`. */
  dataset_no: number
  /** Of the entry that says that the record was deleted. */
  change_no: number
}

export interface DeletedRecordsTables {
  deleted_records: DeletedRecordsTable
}
