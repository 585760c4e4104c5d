/**
 * The change log, and the head of each dataset's log. Totals and the time of the last activity move to the head, because every
 * write updates them: the head is a short row, while a dataset's row contains guidelines and metadata.
 *
 * Neither table refers to `datasets`, because the log entry of a dataset's deletion must outlive the dataset.
 */
import type { Queryable } from '../database.ts'

const statements = (db: Queryable['dialect']) => [
  `create table dataset_heads (
    dataset_id text primary key, change_no bigint not null, records_count integer not null, completed_count integer not null,
    last_activity_at text not null
  ) ${db.keyOnlyTable}`,
  `create table changes (
    dataset_id text not null, change_no bigint not null, event text not null, record_nos ${db.bytes}, details text, actor_id text,
    inserted_at text not null, primary key (dataset_id, change_no)
  ) ${db.keyOnlyTable}`,
  `insert into dataset_heads (dataset_id, change_no, records_count, completed_count, last_activity_at)
   select id, 0, records_count, completed_count, last_activity_at from datasets`,
  'alter table datasets drop column records_count',
  'alter table datasets drop column completed_count',
  'alter table datasets drop column last_activity_at',
]

const fromHead = (column: string, other: string) =>
  `${column} = coalesce((select h.${column} from dataset_heads h where h.dataset_id = datasets.id), ${other})`

const DOWN = [
  'alter table datasets add column records_count integer not null default 0',
  'alter table datasets add column completed_count integer not null default 0',
  "alter table datasets add column last_activity_at text not null default ''",
  `update datasets set ${fromHead('records_count', '0')}, ${fromHead('completed_count', '0')},
   ${fromHead('last_activity_at', 'updated_at')}`,
  'drop table changes',
  'drop table dataset_heads',
]

export async function up(db: Queryable): Promise<void> {
  for (const statement of statements(db.dialect)) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  for (const statement of DOWN) await db.sql.run(statement)
}
