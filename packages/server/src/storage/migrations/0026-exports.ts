/** Exports of datasets to files. Finished jobs are deleted soon, so their results are stored here. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  await db.sql.run(`create table exports (
    id text primary key, dataset_id text not null references datasets (id) on delete cascade, user_id text not null,
    format text not null, file_id text not null, status text not null, records bigint, inserted_at text not null, finished_at text
  )`)
  await db.sql.run('create index exports_of_dataset on exports (dataset_id, id)')
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table exports')
}
