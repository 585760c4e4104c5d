/**
 * Ids of deleted records, because entries of the change log contain record numbers and the change feed returns ids. Ids of
 * records that were deleted before this revision are taken from the log entries of the deletions, which contain numbers and ids
 * in the same order.
 */
import type { Param, Queryable } from '../database.ts'

const CREATE = [
  `create table deleted_records (
    record_no bigint primary key, record_id text not null, dataset_no bigint not null, change_no bigint not null
  )`,
  'create index deleted_records_by_change on deleted_records (dataset_no, change_no)',
]

interface Deletion {
  dataset_id: string
  dataset_no: number
  change_no: number
  record_nos: Uint8Array
  details: string
}

const ENTRIES_PER_BATCH = 500

/** Lists the next log entries of deletions, ordered by dataset and number. */
function listDeletions(db: Queryable, after: Pick<Deletion, 'dataset_id' | 'change_no'>): Promise<Deletion[]> {
  const text = `select c.dataset_id, h.no as dataset_no, c.change_no, c.record_nos, c.details
    from changes c join dataset_heads h on h.dataset_id = c.dataset_id
    where c.event = 'record.deleted' and c.record_nos is not null and c.details is not null
      and (c.dataset_id > ? or (c.dataset_id = ? and c.change_no > ?))
    order by c.dataset_id, c.change_no limit ?`
  return db.sql.all(text, [after.dataset_id, after.dataset_id, after.change_no, ENTRIES_PER_BATCH])
}

/** Decodes the numbers of a log entry: deltas, stored as little-endian varints with seven bits per byte. */
function unpackNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let [before, difference, factor] = [0, 0, 1]
  for (const byte of bytes) {
    difference += (byte % 128) * factor
    factor *= 128
    if (byte >= 128) continue
    before += difference
    numbers.push(before)
    ;[difference, factor] = [0, 1]
  }
  return numbers
}

function toRows({ record_nos, details, dataset_no, change_no }: Deletion): Param[][] {
  const ids = (JSON.parse(details) as { record_ids?: string[] }).record_ids ?? []
  return unpackNumbers(record_nos).flatMap((no, index) => {
    const id = ids[index]
    return id === undefined ? [] : [[no, id, dataset_no, change_no]]
  })
}

export async function up(db: Queryable): Promise<void> {
  for (const statement of CREATE) await db.sql.run(statement)
  let after: Pick<Deletion, 'dataset_id' | 'change_no'> = { dataset_id: '', change_no: 0 }
  for (;;) {
    const deletions = await listDeletions(db, after)
    const last = deletions.at(-1)
    if (!last) return
    await db.sql.insertAll(
      'deleted_records',
      ['record_no', 'record_id', 'dataset_no', 'change_no'],
      deletions.flatMap(toRows),
      'on conflict do nothing',
    )
    after = last
  }
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table deleted_records')
}
