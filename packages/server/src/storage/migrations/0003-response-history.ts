/**
 * Response history, idempotency keys of writes, an index of responses by user and time, and bulk jobs that answer many records.
 */
import type { Queryable } from '../database.ts'

/**
 * Versions are numbered per record and user, so that the oldest are found without counting. The remaining records of a bulk job
 * are stored in a separate table, one row per step, so that a step is done and its row deleted in one transaction.
 */
const UP = `
alter table responses add column write_id text;
create index responses_by_time on responses (dataset_id, user_id, updated_at);
create table response_history (
  record_no bigint not null references records (no) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  version integer not null, response_id text not null, status text, "values" text, inserted_at text, updated_at text,
  write_id text, replaced_at text not null, job_id text, primary key (record_no, user_id, version)
);
create index response_history_of_user on response_history (user_id);
create index response_history_by_job on response_history (job_id, record_no) where job_id is not null;
create table bulk_jobs (
  id text primary key, dataset_id text not null references datasets (id) on delete cascade,
  user_id text not null references users (id) on delete cascade, type text not null, response_status text, request text not null,
  status text not null, total integer not null, done integer not null, failed integer not null, failures text not null,
  undoes text, undone_by text, undone integer not null, write_id text,
  inserted_at text not null, finished_at text, unique (user_id, write_id)
);
create index bulk_jobs_of_user on bulk_jobs (dataset_id, user_id, id);
create table bulk_job_pieces (
  job_id text not null references bulk_jobs (id) on delete cascade, position integer not null, record_ids text not null,
  primary key (job_id, position)
);
`

/** Deletes jobs that the older release does not support, because they would fail there. */
const DOWN = `
delete from jobs where name = 'bulk-responses';
drop table bulk_job_pieces;
drop table bulk_jobs;
drop table response_history;
drop index responses_by_time;
alter table responses drop column write_id;
`

async function run(db: Queryable, text: string): Promise<void> {
  for (const statement of text.split(';').map(part => part.trim())) if (statement !== '') await db.sql.run(statement)
}

export const up = (db: Queryable): Promise<void> => run(db, UP)
export const down = (db: Queryable): Promise<void> => run(db, DOWN)
