/** Change numbers of task datasets, which in-memory indexes follow. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  await db.sql.run('alter table legacy_datasets add column change_no bigint not null default 0')
  await db.sql.run('alter table legacy_datasets add column deleted_no bigint not null default 0')
  await db.sql.run('alter table legacy_records add column change_no bigint not null default 0')
  await db.sql.run('create index legacy_records_by_change on legacy_records (dataset_no, change_no, id)')
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop index legacy_records_by_change')
  await db.sql.run('alter table legacy_records drop column change_no')
  await db.sql.run('alter table legacy_datasets drop column deleted_no')
  await db.sql.run('alter table legacy_datasets drop column change_no')
}
