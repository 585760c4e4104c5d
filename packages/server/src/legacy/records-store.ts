/** All SQL of records of task datasets. */
import type { StoredRecord, Vector } from '@postil/domain/legacy/record'
import { marks, type Queryable } from '../storage/database.ts'
import type { TaskDataset } from './datasets-store.ts'

export type Vectors = Record<string, Vector>

export interface StoredRow {
  /** Record id as text. */
  id: string
  record: StoredRecord
  /** Null if the record has none, or if they were not loaded. */
  vectors: Vectors | null
}

interface Row {
  id: string
  content: string
  vectors?: string | null
}

const toStored = ({ id, content, vectors }: Row): StoredRow => ({
  id,
  record: JSON.parse(content),
  vectors: vectors == null ? null : JSON.parse(vectors),
})

const ROWS_PER_QUERY = 500

/** Reads records ordered by id. Statements are short, so that a read that takes too long can be ended. */
export async function visitRecords(db: Queryable, datasetNo: number, visit: (row: StoredRow) => void): Promise<void> {
  const text = `select id, content from legacy_records where dataset_no = ? and id > ? order by id limit ${ROWS_PER_QUERY}`
  for (let last = ''; ; ) {
    const rows = await db.sql.all<Row>(text, [datasetNo, last])
    for (const row of rows) visit(toStored(row))
    if (rows.length < ROWS_PER_QUERY) return
    last = rows.at(-1)?.id ?? last
  }
}

/** Reads the vectors of all records, or of those with these ids. */
export async function visitVectors(
  db: Queryable,
  datasetNo: number,
  ids: readonly string[] | null,
  visit: (id: string, vectors: Vectors) => void,
): Promise<void> {
  const read = async (condition: string, values: readonly (string | number)[]) => {
    const text = `select id, vectors from legacy_records where dataset_no = ? and vectors is not null and ${condition}`
    const rows = await db.sql.all<{ id: string; vectors: string }>(text, [datasetNo, ...values])
    for (const { id, vectors } of rows) visit(id, JSON.parse(vectors))
    return rows
  }
  if (ids !== null) {
    for (const some of chunksOf(ids)) await read(`id in (${marks(some)})`, some)
    return
  }
  for (let last: string | undefined = ''; last !== undefined; ) {
    last = (await read(`id > ? order by id limit ${ROWS_PER_QUERY}`, [last])).at(-1)?.id
  }
}

const chunksOf = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / ROWS_PER_QUERY) }, (_, i) =>
    ids.slice(i * ROWS_PER_QUERY, (i + 1) * ROWS_PER_QUERY),
  )

/** Returns the existing records by id. */
export async function loadRecords(db: Queryable, datasetNo: number, ids: readonly string[]): Promise<Map<string, StoredRow>> {
  const found = new Map<string, StoredRow>()
  for (const some of chunksOf(ids)) {
    const text = `select id, content, vectors from legacy_records where dataset_no = ? and id in (${marks(some)})`
    for (const row of await db.sql.all<Row>(text, [datasetNo, ...some])) found.set(row.id, toStored(row))
  }
  return found
}

/** The dataset must be locked, because an index that has read one change must have read all earlier ones. */
export async function storeRecords(db: Queryable, dataset: TaskDataset, rows: readonly StoredRow[]): Promise<void> {
  const changeNo = dataset.change_no + 1
  await db.sql.run('update legacy_datasets set change_no = ? where no = ?', [changeNo, dataset.no])
  await db.sql.insertAll(
    'legacy_records',
    ['dataset_no', 'id', 'content', 'vectors', 'change_no'],
    rows.map(({ id, record, vectors }) => [
      dataset.no,
      id,
      JSON.stringify(record),
      vectors === null ? null : JSON.stringify(vectors),
      changeNo,
    ]),
    'on conflict (dataset_no, id) do update set content = excluded.content, vectors = excluded.vectors, change_no = excluded.change_no',
  )
}

/** Returns the number of deleted records. The dataset must be locked. */
export async function deleteRecords(db: Queryable, dataset: TaskDataset, ids: readonly string[]): Promise<number> {
  const changeNo = dataset.change_no + 1
  await db.sql.run('update legacy_datasets set change_no = ?, deleted_no = ? where no = ?', [changeNo, changeNo, dataset.no])
  return deleteRows(db, dataset.no, ids)
}

export async function deleteRows(db: Queryable, datasetNo: number, ids: readonly string[]): Promise<number> {
  let deleted = 0
  for (const some of chunksOf(ids)) {
    const text = `delete from legacy_records where dataset_no = ? and id in (${marks(some)})`
    deleted += (await db.sql.run(text, [datasetNo, ...some])).changes
  }
  return deleted
}

export async function copyRecords(db: Queryable, { from, to }: { from: number; to: number }): Promise<void> {
  const text = `insert into legacy_records (dataset_no, id, content, vectors)
    select ?, id, content, vectors from legacy_records where dataset_no = ?`
  // PostgreSQL cannot infer the type of a parameter that is only selected.
  await db.sql.run(db.dialect.name === 'postgres' ? text.replace('select ?', 'select cast(? as bigint)') : text, [to, from])
}

interface ChangedRow {
  id: string
  record: StoredRecord
  change_no: number
}

/** Reads the records written after a row, in the order of their changes, until `visit` returns false. */
export async function visitChanges(
  db: Queryable,
  datasetNo: number,
  after: { changeNo: number; id: string },
  visit: (row: ChangedRow) => boolean,
): Promise<void> {
  const text = `select id, content, change_no from legacy_records where dataset_no = ? and (change_no, id) > (?, ?)
    order by change_no, id limit ${ROWS_PER_QUERY}`
  let { changeNo, id } = after
  for (;;) {
    const rows = await db.sql.all<Row & { change_no: number }>(text, [datasetNo, changeNo, id])
    for (const row of rows) {
      if (!visit({ id: row.id, record: JSON.parse(row.content), change_no: Number(row.change_no) })) return
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) return
    ;[changeNo, id] = [Number(last.change_no), last.id]
  }
}

/** Returns the ids after this one, in order. */
export const listIdsAfter = (db: Queryable, datasetNo: number, after: string, limit: number): Promise<string[]> =>
  db.sql.column('select id from legacy_records where dataset_no = ? and id > ? order by id limit ?', [datasetNo, after, limit])

const IDS_PER_QUERY = 10_000

export async function listIds(db: Queryable, datasetNo: number): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const some = await listIdsAfter(db, datasetNo, ids.at(-1) ?? '', IDS_PER_QUERY)
    for (const id of some) ids.push(id)
    if (some.length < IDS_PER_QUERY) return ids
  }
}
