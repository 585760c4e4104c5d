/**
 * SQL tables of the domain types. JSON columns contain text, booleans 0 or 1, and times UTC text with microseconds, on both
 * databases. `no` is an internal number, which keeps indexes and related tables small.
 */
import type { Generated } from 'kysely'
import type { AuditTables } from './audit-tables.ts'
import type { ChangesTable, DatasetHeadsTable } from './change-tables.ts'
import type { DeletedRecordsTables } from './deleted-records-tables.ts'
import type { FileTables } from './file-tables.ts'
import type { IdentityTables } from './identity-tables.ts'
import type { LegacyTables } from './legacy-tables.ts'
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
  /** Hash of the skeleton, to find names that look alike. Null for deleted users. */
  username_skeleton: Generated<string | null>
  role: string
  password_hash: string
  /** Incremented with every change of password or role, and with a deactivation. The signing key of tokens depends on it. */
  credentials_version: Generated<number>
  /** Keyed hash, to look up a key. */
  api_key_hash: string
  /** Encrypted, to show a key to its user. */
  api_key_encrypted: string
  /** Time since which the user cannot sign in; null for active users. */
  deactivated_at: string | null
}

export interface SessionsTable {
  id: string
  user_id: string
  /** Hash of the secret in the cookie. */
  secret_hash: string
  user_agent: string | null
  inserted_at: string
  last_seen_at: string
  expires_at: string
}

export interface WorkspacesTable extends Times {
  id: string
  name: string
  /** Like `username_skeleton`. */
  name_skeleton: Generated<string | null>
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
  /** Incremented with every change of fields, questions, metadata properties or vectors settings; invalidates cached settings. */
  settings_version: Generated<number>
}

export interface DatasetsUsersTable {
  dataset_id: string
  user_id: string
  inserted_at: string
  /** 1 if the user was no member of the workspace and no owner at any write of their responses; otherwise null. */
  never_member: Generated<number | null>
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
  /** Questions with equal positions are ordered by age. */
  position: Generated<number>
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
  /** Position of the record in the shuffled order for annotators (search/shuffle.ts). */
  shuffle: number
  metadata: string | null
}

/** Content of a record, separate from columns that change with its responses or are read for all records of a dataset. */
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
  /** Idempotency key of the last write, chosen by the client; null if it sent none. */
  write_id: string | null
  /** Idempotency keys of draft writes that later drafts replaced, as a JSON array; the last 32. */
  earlier_write_ids: string | null
}

/** Earlier version of a response; a null status means that there was no response. */
export interface ResponseHistoryTable {
  record_no: number
  user_id: string
  /** Incremented per record and user. */
  version: number
  response_id: string
  status: string | null
  values: string | null
  inserted_at: string | null
  updated_at: string | null
  write_id: string | null
  /** `updated_at` of the version that replaced it. */
  replaced_at: string
  job_id: string | null
  /** Only for a deleted response. */
  earlier_write_ids: string | null
}

export interface BulkJobsTable {
  id: string
  dataset_id: string
  user_id: string
  type: string
  response_status: string | null
  /** Action for each record, as JSON. */
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

/** Records that a bulk job has not processed yet. */
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
  /** Minimum and maximum score, by which lists of scores are filtered and sorted. */
  score_min: number | null
  score_max: number | null
  agent: string | null
}

export interface VectorsTable {
  /** Increases with every write, so that readers can continue after the last number they have read. */
  no: Generated<number>
  record_no: number
  vectors_settings_no: number
  /** 64-bit floats, little endian, so that values are returned without loss of precision. */
  value: Uint8Array
}

/** Immutable segment of a dataset's text index. */
export interface TextSegmentsTable {
  dataset_id: string
  /** Change number of the transaction that wrote it. */
  segment_no: number
  first_record_no: number
  last_record_no: number
  record_count: number
  bytes: Uint8Array
}

/** Record that a user has flagged. */
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
  /** Earliest time to run the job. */
  run_at: string
  /** Expiry of the worker's lease; null without a lease. */
  leased_until: string | null
  error: string | null
  finished_at: string | null
}

export interface RevisionsTable {
  name: string
  applied_at: string
}

export interface Tables
  extends AuditTables,
    DeletedRecordsTables,
    FileTables,
    IdentityTables,
    LegacyTables,
    ProcessTables,
    WebhookTables {
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
