/** Tables of uploads and of files for download. */
export interface FileTables {
  files: FilesTable
  file_pieces: FilePiecesTable
  exports: ExportsTable
}

/** Export of a dataset to a file. */
export interface ExportsTable {
  /** Id of the job. */
  id: string
  dataset_id: string
  user_id: string
  format: string
  /** File of the last attempt. */
  file_id: string
  /** Status of the job when it is finished or canceled; `queued` before. */
  status: string
  /** Number of exported records; null until the export has finished. */
  records: number | null
  inserted_at: string
  finished_at: string | null
}

export interface FilesTable {
  id: string
  /** A `FileKind`. */
  kind: string
  name: string
  user_id: string
  dataset_id: string | null
  /** Job that writes the file. */
  job_id: string | null
  media_type: string
  /** Declared size of an upload; for other files, null until they are complete. */
  size: number | null
  /** Number of stored bytes. Pieces may contain more, from a write that was not recorded. */
  received: number
  expires_at: string
  inserted_at: string
  updated_at: string
}

/** Used on PostgreSQL. On SQLite, pieces are files in the home path and this table is empty. */
interface FilePiecesTable {
  file_id: string
  no: number
  bytes: Uint8Array
}
