/**
 * Segments of the text index. They are derived from records, so the table has no foreign key to `datasets`: a job removes them
 * together with the records of a deleted dataset.
 */
import type { Queryable } from '../database.ts'

/** `bytes` is the last column, so that listing segments does not read it. */
const statement = (db: Queryable['dialect']) =>
  `create table text_segments (
    dataset_id text not null, segment_no bigint not null, first_record_no bigint not null, last_record_no bigint not null,
    record_count integer not null, bytes ${db.bytes} not null, primary key (dataset_id, segment_no)
  )`

export async function up(db: Queryable): Promise<void> {
  await db.sql.run(statement(db.dialect))
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table text_segments')
}
