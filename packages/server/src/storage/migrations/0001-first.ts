/**
 * The first schema. A migration imports nothing from the current code except the dialect, so that it still works after years of
 * changes.
 */
import type { Queryable } from '../database.ts'

const tables = (db: Queryable['dialect']) => `
create table users (
  id text primary key, first_name text not null, last_name text, username ${db.text} not null unique, role text not null,
  password_hash text not null, api_key_hash text not null unique, api_key_encrypted text not null,
  inserted_at text not null, updated_at text not null
);
create table workspaces (
  id text primary key, name ${db.text} not null unique, inserted_at text not null, updated_at text not null
);
create table workspaces_users (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  inserted_at text not null, primary key (workspace_id, user_id)
);
create index workspaces_users_user on workspaces_users (user_id);
create table datasets (
  id text primary key, workspace_id text not null references workspaces (id), name ${db.text} not null, guidelines text,
  allow_extra_metadata integer not null, status text not null, distribution text not null, metadata text,
  settings_version integer not null default 1, records_count integer not null default 0, completed_count integer not null default 0,
  last_activity_at text not null, inserted_at text not null, updated_at text not null,
  unique (workspace_id, name)
);
create table datasets_users (
  dataset_id text not null references datasets (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  inserted_at text not null, primary key (dataset_id, user_id)
);
create table fields (
  id text primary key, dataset_id text not null references datasets (id) on delete cascade, name ${db.text} not null,
  title text not null, required integer not null, settings text not null, inserted_at text not null, updated_at text not null,
  unique (dataset_id, name)
);
create table questions (
  no ${db.autoNumber}, id text not null unique, dataset_id text not null references datasets (id) on delete cascade,
  name ${db.text} not null, title text not null, description text, required integer not null, settings text not null,
  inserted_at text not null, updated_at text not null, unique (dataset_id, name)
);
create table metadata_properties (
  no ${db.autoNumber}, id text not null unique, dataset_id text not null references datasets (id) on delete cascade,
  name ${db.text} not null, title text not null, settings text not null, visible_for_annotators integer not null,
  inserted_at text not null, updated_at text not null, unique (dataset_id, name)
);
create table vectors_settings (
  no ${db.autoNumber}, id text not null unique, dataset_id text not null references datasets (id) on delete cascade,
  name ${db.text} not null, title text not null, dimensions integer not null,
  inserted_at text not null, updated_at text not null, unique (dataset_id, name)
);
`

/**
 * Records have no foreign key to their dataset, and suggestions and vectors have none to their settings: rows of a deleted
 * dataset or vectors setting are removed later by a job, in small batches, so that deleting a large one does not block other
 * writers.
 */
const recordTables = (db: Queryable['dialect']) => `
create table records (
  no ${db.autoNumber}, id text not null unique, dataset_id text not null, external_id ${db.text}, status text not null,
  shuffle integer not null, fields text not null, metadata text, inserted_at text not null, updated_at text not null,
  unique (dataset_id, external_id)
);
create index records_by_time on records (dataset_id, inserted_at, id);
create index records_by_number on records (dataset_id, no);
create index records_by_shuffle on records (dataset_id, status, shuffle);
create table responses (
  id text primary key, record_no bigint not null references records (no) on delete cascade, dataset_id text not null,
  user_id text not null references users (id) on delete cascade, status text not null, "values" text not null,
  inserted_at text not null, updated_at text not null, unique (record_no, user_id)
);
create index responses_by_user on responses (dataset_id, user_id, status, record_no);
create index responses_of_user on responses (user_id);
create table suggestions (
  id text not null unique, record_no bigint not null references records (no) on delete cascade, question_no bigint not null,
  type text, value text not null, score text, score_min ${db.double}, score_max ${db.double}, agent ${db.text},
  inserted_at text not null, updated_at text not null, primary key (record_no, question_no)
) ${db.keyOnlyTable};
create index suggestions_by_agent on suggestions (question_no, agent, record_no, score_min, score_max, type);
create table vectors (
  no ${db.autoNumber}, record_no bigint not null references records (no) on delete cascade,
  vectors_settings_no bigint not null,
  value ${db.bytes} not null, unique (record_no, vectors_settings_no)
);
create index vectors_by_settings on vectors (vectors_settings_no, no);
`

/**
 * Lookup tables for filters and sorting. The values of a record are stored next to each other. Secondary indexes are ordered so
 * that new records touch few pages: numbers are ordered by coarse buckets, because ordered by value every bulk write would touch
 * hundreds of pages.
 */
const lookUpTables = (db: Queryable['dialect']) => `
create table metadata_terms (
  record_no bigint not null, property_no bigint not null, value ${db.text} not null,
  primary key (record_no, property_no, value)
) ${db.keyOnlyTable};
create index metadata_terms_by_value on metadata_terms (property_no, value, record_no);
create table metadata_numbers (
  record_no bigint not null, property_no bigint not null, value ${db.double} not null, bucket integer not null,
  primary key (record_no, property_no, value)
) ${db.keyOnlyTable};
create index metadata_numbers_by_bucket on metadata_numbers (property_no, bucket, record_no, value);
create table suggestion_terms (
  record_no bigint not null, question_no bigint not null, value ${db.text} not null,
  primary key (record_no, question_no, value)
) ${db.keyOnlyTable};
create index suggestion_terms_by_value on suggestion_terms (question_no, value, record_no);
create table response_terms (
  question_no bigint not null, value ${db.text} not null, user_id text not null, record_no bigint not null,
  primary key (question_no, value, user_id, record_no)
) ${db.keyOnlyTable};
create index response_terms_of_record on response_terms (record_no, user_id);
`

const jobTables = () => `
create table jobs (
  id text primary key, name text not null, payload text not null, status text not null, attempts integer not null,
  run_at text not null, leased_until text, error text, finished_at text, inserted_at text not null, updated_at text not null
);
create index jobs_waiting on jobs (status, run_at);
`

const statements = (text: string) =>
  text
    .split(';')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')

export async function up(db: Queryable): Promise<void> {
  for (const part of [tables, recordTables, jobTables]) {
    for (const statement of statements(part(db.dialect))) await db.sql.run(statement)
  }
  await createLookUpTables(db)
}

export async function createLookUpTables(db: Queryable): Promise<void> {
  for (const statement of statements(lookUpTables(db.dialect))) await db.sql.run(statement)
}

/** Drops the text index of each dataset: first the tables that read the index, then the tables that it consists of. */
export async function dropTextIndexes(db: Queryable): Promise<void> {
  if (db.dialect.name !== 'sqlite') return
  const listed =
    "select name from sqlite_master where name like 'text\\_%' escape '\\' and sql like 'create virtual table%' order by name desc"
  const names = (await db.sql.all<{ name: string }>(listed)).map(row => row.name).filter(name => /^text_[0-9a-f]{32}/.test(name))
  for (const name of names) await db.sql.run(`drop table ${name}`)
}

export async function down(db: Queryable): Promise<void> {
  await dropTextIndexes(db)
  const names = [
    'jobs',
    'response_terms',
    'suggestion_terms',
    'metadata_numbers',
    'metadata_terms',
    'vectors',
    'suggestions',
    'responses',
    'records',
    'vectors_settings',
    'metadata_properties',
    'questions',
    'fields',
    'datasets_users',
    'datasets',
    'workspaces_users',
    'workspaces',
    'users',
  ]
  for (const name of names) await db.sql.run(`drop table ${name}`)
}
