/**
 * The SQL twin of domain's nouns. JSON columns hold text, booleans hold 0 or 1, times hold UTC text with microseconds:
 * the same on both databases. `no` is a number of the database's own: short, so that indexes and side tables stay small.
 */
import type { Generated } from 'kysely'
import type { AuditTables } from './audit-tables.ts'
import type { ChangesTable, DatasetHeadsTable } from './change-tables.ts'
import type { DeletedRecordsTables } from './deleted-records-tables.ts'
import type { IdentityTables } from './identity-tables.ts'
import type { ProcessTables } from './process-tables.ts'
import type { WebhookTables } from './webhook-tables.ts'

interface Times {
  inserted_at: string
  updated_at: string
}

export interface UsersTable extends Times {
  id: string
  first_name: string
  last_name: string | null
  username: string
  role: string
  password_hash: string
  /** Grows with every change of password or role, and with a deactivation: tokens are signed with a key that depends on it. */
  credentials_version: Generated<number>
  /** Keyed hash, for looking a key up. */
  api_key_hash: string
  /** Encrypted, for showing a key to its user. */
  api_key_encrypted: string
  /** Since when the user cannot sign in; null: they can. */
  deactivated_at: string | null
}

export interface SessionsTable {
  id: string
  user_id: string
  /** Of the secret in the cookie. */
  secret_hash: string
  user_agent: string | null
  inserted_at: string
  last_seen_at: string
  expires_at: string
}

export interface WorkspacesTable extends Times {
  id: string
  name: string
}

export interface WorkspacesUsersTable {
  workspace_id: string
  user_id: string
  inserted_at: string
}

export interface DatasetsTable extends Times {
  id: string
  workspace_id: string
  name: string
  guidelines: string | null
  allow_extra_metadata: number
  status: string
  distribution: string
  metadata: string | null
  /** Grows with every change of fields, questions, metadata properties or vectors settings: what is kept of them is then stale. */
  settings_version: Generated<number>
}

export interface DatasetsUsersTable {
  dataset_id: string
  user_id: string
  inserted_at: string
}

interface SettingsItem extends Times {
  id: string
  dataset_id: string
  name: string
  title: string
}

export interface FieldsTable extends SettingsItem {
  required: number
  settings: string
}

export interface QuestionsTable extends SettingsItem {
  no: Generated<number>
  description: string | null
  required: number
  settings: string
}

export interface MetadataPropertiesTable extends SettingsItem {
  no: Generated<number>
  settings: string
  visible_for_annotators: number
}

export interface VectorsSettingsTable extends SettingsItem {
  no: Generated<number>
  dimensions: number
}

export interface RecordsTable extends Times {
  no: Generated<number>
  id: string
  /** `dataset_heads.no` (dataset-numbers.ts). */
  dataset_no: number
  external_id: string | null
  status: string
  /** The record's place in the shuffle that annotators walk (search/shuffle.ts). */
  shuffle: number
  metadata: string | null
}

/** The content of a record, apart from what changes with its responses and what is read for all records of a dataset. */
export interface RecordFieldsTable {
  record_no: number
  fields: string
}

export interface ResponsesTable extends Times {
  id: string
  record_no: number
  dataset_no: number
  user_id: string
  status: string
  values: string
  /** The client's name for the write that made it so; null when it gave none. */
  write_id: string | null
  /** Names of the writes of drafts that drafts replaced, as a JSON list; the last 32. */
  earlier_write_ids: string | null
}

/** What a response was before it was replaced; a null status: there was none. */
export interface ResponseHistoryTable {
  record_no: number
  user_id: string
  /** Counts up per record and user. */
  version: number
  response_id: string
  status: string | null
  values: string | null
  inserted_at: string | null
  updated_at: string | null
  write_id: string | null
  /** The `updated_at` of what replaced it. */
  replaced_at: string
  job_id: string | null
  /** Of a deleted response. */
  earlier_write_ids: string | null
}

export interface BulkJobsTable {
  id: string
  dataset_id: string
  user_id: string
  type: string
  response_status: string | null
  /** What happens to each record, as JSON. */
  request: string
  status: string
  total: number
  done: number
  failed: number
  failures: string
  undoes: string | null
  undone_by: string | null
  undone: number
  write_id: string | null
  inserted_at: string
  finished_at: string | null
}

/** Records that a bulk job has still to do. */
export interface BulkJobPiecesTable {
  job_id: string
  position: number
  record_ids: string
}

export interface SuggestionsTable extends Times {
  id: string
  record_no: number
  question_no: number
  type: string | null
  value: string
  score: string | null
  /** The smallest and largest score: lists of scores are filtered and sorted by them. */
  score_min: number | null
  score_max: number | null
  agent: string | null
}

export interface VectorsTable {
  /** Grows with every write: readers catch up from the last one they saw. */
  no: Generated<number>
  record_no: number
  vectors_settings_no: number
  /** 64-bit floats, little endian: what was sent comes back to the digit. */
  value: Uint8Array
}

/** An immutable piece of a dataset's text index. */
export interface TextSegmentsTable {
  dataset_id: string
  /** The change number of the transaction that wrote it. */
  segment_no: number
  first_record_no: number
  last_record_no: number
  record_count: number
  bytes: Uint8Array
}

/** A record somebody wants to find again. */
export interface RecordFlagsTable {
  record_id: string
  user_id: string
  inserted_at: string
}

export interface RecordCommentsTable {
  id: string
  record_id: string
  user_id: string
  body: string
  inserted_at: string
}

export interface JobsTable extends Times {
  id: string
  name: string
  payload: string
  status: string
  attempts: number
  /** Not before this time. */
  run_at: string
  /** While a worker has it. */
  leased_until: string | null
  error: string | null
  finished_at: string | null
}

export interface RevisionsTable {
  name: string
  applied_at: string
}

export interface Tables extends AuditTables, DeletedRecordsTables, IdentityTables, ProcessTables, WebhookTables {
  users: UsersTable
  sessions: SessionsTable
  workspaces: WorkspacesTable
  workspaces_users: WorkspacesUsersTable
  datasets: DatasetsTable
  dataset_heads: DatasetHeadsTable
  changes: ChangesTable
  datasets_users: DatasetsUsersTable
  fields: FieldsTable
  questions: QuestionsTable
  metadata_properties: MetadataPropertiesTable
  vectors_settings: VectorsSettingsTable
  records: RecordsTable
  record_fields: RecordFieldsTable
  responses: ResponsesTable
  response_history: ResponseHistoryTable
  bulk_jobs: BulkJobsTable
  bulk_job_pieces: BulkJobPiecesTable
  suggestions: SuggestionsTable
  vectors: VectorsTable
  text_segments: TextSegmentsTable
  record_flags: RecordFlagsTable
  record_comments: RecordCommentsTable
  jobs: JobsTable
  revisions: RevisionsTable
}
