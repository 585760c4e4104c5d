/** Task datasets of the legacy routes, and their records. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  const { autoNumber, text, keyOnlyTable } = db.dialect
  await db.sql.run(`create table legacy_datasets (
    no ${autoNumber}, id text not null unique, workspace_id text not null references workspaces (id), name text not null,
    task text not null, tags text not null, metadata text not null, settings text, rules text not null, facts text not null,
    is_closed integer not null, created_by text, created_at text not null, last_updated text not null,
    unique (workspace_id, name)
  )`)
  // On SQLite, rows are stored in primary key order, in which searches read them.
  await db.sql.run(`create table legacy_records (
    dataset_no bigint not null, id ${text} not null, content text not null, vectors text,
    primary key (dataset_no, id)
  ) ${keyOnlyTable}`)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table legacy_records')
  await db.sql.run('drop table legacy_datasets')
}
