/** Uploads and files for download. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  const { bytes } = db.dialect
  // No foreign keys: files of a deleted user or dataset expire like all others.
  await db.sql.run(`create table files (
    id text primary key, kind text not null, name text not null, user_id text not null, dataset_id text, job_id text,
    media_type text not null, size bigint, received bigint not null, expires_at text not null,
    inserted_at text not null, updated_at text not null
  )`)
  await db.sql.run('create index files_user on files (user_id)')
  await db.sql.run('create index files_expiry on files (expires_at)')
  await db.sql.run('create index files_job on files (job_id)')
  await db.sql.run(`create table file_pieces (
    file_id text not null, no bigint not null, bytes ${bytes} not null, primary key (file_id, no)
  )`)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table file_pieces')
  await db.sql.run('drop table files')
}
