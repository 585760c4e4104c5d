/** All SQL of records. JSON columns are text here: lists are answered without parsing them. */
import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import { marks, type Param, type Queryable } from '../../storage/database.ts'
import { DATASET_NO, datasetIdOf, findDatasetNo, loadDatasetNo } from '../../storage/dataset-numbers.ts'

export interface RecordRow {
  no: number
  id: Id
  dataset_id: Id
  external_id: string | null
  status: string
  shuffle: number
  fields: string
  metadata: string | null
  inserted_at: string
  updated_at: string
}

const COLUMNS = ['no', 'id', 'external_id', 'status', 'shuffle', 'metadata', 'inserted_at', 'updated_at'] as const

/**
 * Fields are long and have a table of their own: a response that completes a record does not write them again, and columns are read
 * without them.
 */
const SELECT = `select ${COLUMNS.map(column => `r.${column}`).join(', ')}, ${datasetIdOf('r')} as dataset_id, f.fields
  from records r join record_fields f on f.record_no = r.no`

/** With a plus, because for a long list of ids SQLite would walk all records of the dataset. Records are found by their id. */
const WITHIN = `+r.dataset_no = ${DATASET_NO}`

export async function insertRecords(db: Queryable, rows: readonly RecordRow[]): Promise<void> {
  const datasetNos = new Map<Id, number>()
  for (const id of new Set(rows.map(row => row.dataset_id))) datasetNos.set(id, await loadDatasetNo(db, id))
  const toParams = (row: RecordRow): Param[] => [
    datasetNos.get(row.dataset_id) as number,
    row.no,
    row.id,
    row.external_id,
    row.status,
    row.shuffle,
    row.metadata,
    row.inserted_at,
    row.updated_at,
  ]
  await db.sql.insertAll('records', ['dataset_no', ...COLUMNS], rows.map(toParams))
  await db.sql.insertAll(
    'record_fields',
    ['record_no', 'fields'],
    rows.map(row => [row.no, row.fields]),
  )
}

/** Writes fields, metadata and time of records that exist. Their status follows from responses and is written apart. */
export async function updateRecords(db: Queryable, rows: readonly RecordRow[]): Promise<void> {
  await db.sql.runEach(
    'update records set metadata = ?, updated_at = ? where no = ?',
    rows.map(row => [row.metadata, row.updated_at, row.no]),
  )
  await db.sql.runEach(
    'update record_fields set fields = ? where record_no = ?',
    rows.map(row => [row.fields, row.no]),
  )
}

export async function loadRecord(db: Queryable, id: Id): Promise<RecordRow> {
  const row = await db.sql.get<RecordRow>(`${SELECT} where r.id = ?`, [id])
  if (!row) throw notFound('Record', id)
  return row
}

/**
 * The record, locked: its status, its responses and their history are changed by one transaction at a time. It is locked before
 * anything of it is read that the change depends on.
 */
export async function loadRecordToChange(db: Queryable, id: Id): Promise<RecordRow> {
  const row = await db.sql.get<RecordRow>(`${SELECT} where r.id = ?${db.dialect.forUpdate}`, [id])
  if (!row) throw notFound('Record', id)
  return row
}

export function listRecordsByIds(db: Queryable, datasetId: Id, ids: readonly Id[]): Promise<RecordRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.sql.all(`${SELECT} where ${WITHIN} and r.id in (${marks(ids)}) order by r.no`, [datasetId, ...ids])
}

/** The same, locked. Always in the order of their numbers, so that two transactions do not wait for each other. */
export function listRecordsToChange(db: Queryable, datasetId: Id, ids: readonly Id[]): Promise<RecordRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  const text = `${SELECT} where ${WITHIN} and r.id in (${marks(ids)}) order by r.no${db.dialect.forUpdate}`
  return db.sql.all(text, [datasetId, ...ids])
}

/** The records with one of these ids or external ids, locked in the order of their numbers. */
export async function listRecordsToUpsert(
  db: Queryable,
  datasetId: Id,
  { ids, externalIds }: { ids: readonly Id[]; externalIds: readonly string[] },
): Promise<RecordRow[]> {
  const find = async (column: string, values: readonly string[], within: string) => {
    if (values.length === 0) return []
    const text = `select r.no from records r where ${within} and ${column} in (${marks(values)})`
    return db.sql.column<number>(text, [datasetId, ...values])
  }
  const { indexed } = db.dialect
  const byId = await find('r.id', ids, WITHIN)
  const byExternalId = await find(indexed.column('r.external_id'), externalIds.map(indexed.value), `r.dataset_no = ${DATASET_NO}`)
  const nos = [...new Set([...byId, ...byExternalId])]
  if (nos.length === 0) return []
  return db.sql.all(`${SELECT} where r.no in (${marks(nos)}) order by r.no${db.dialect.forUpdate}`, nos)
}

export async function listRecordsByExternalIds(
  db: Queryable,
  datasetId: Id,
  externalIds: readonly string[],
): Promise<RecordRow[]> {
  if (externalIds.length === 0) return []
  const { indexed } = db.dialect
  const text = `${SELECT} where r.dataset_no = ${DATASET_NO} and ${indexed.column('r.external_id')} in (${marks(externalIds)})`
  const rows = await db.sql.all<RecordRow>(text, [datasetId, ...externalIds.map(indexed.value)])
  const wanted = new Set<string | null>(externalIds)
  return rows.filter(({ external_id }) => wanted.has(external_id))
}

/** The records with these numbers, in the given order; numbers without a record are left out. */
export async function listRecordsByNumbers(db: Queryable, nos: readonly number[]): Promise<RecordRow[]> {
  if (nos.length === 0) return []
  const rows = await db.sql.all<RecordRow>(`${SELECT} where r.no in (${marks(nos)})`, nos)
  const byNo = new Map(rows.map(row => [row.no, row]))
  return nos.flatMap(no => byNo.get(no) ?? [])
}

/**
 * A page of a dataset's records, oldest first: numbers and times grow together (lib/clock.ts). Far pages are walked from the
 * end: the last one costs as little as the first.
 */
export async function listRecordsPage(
  db: Queryable,
  datasetId: Id,
  page: { offset: number; limit: number; total: number },
): Promise<RecordRow[]> {
  const { offset, total } = page
  const limit = Math.min(page.limit, total - offset)
  if (limit <= 0) return []
  const fromEnd = total - offset - limit
  const backwards = fromEnd < offset
  // The walk reads a narrow index alone; whole rows are fetched for the page only.
  return db.sql.all<RecordRow>(
    `${SELECT} where r.no in (
      select no from records where dataset_no = ? order by no ${backwards ? 'desc' : 'asc'} limit ? offset ?
    ) order by r.no`,
    [await findDatasetNo(db, datasetId), limit, backwards ? fromEnd : offset],
  )
}

/** When the newest record was made; null without records. */
export async function findNewestTime(db: Queryable): Promise<string | null> {
  const row = await db.sql.get<{ inserted_at: string }>('select inserted_at from records order by no desc limit 1')
  return row?.inserted_at ?? null
}

/** Removes records; what hangs on them goes with them. */
export async function deleteRecords(db: Queryable, nos: readonly number[]): Promise<void> {
  if (nos.length === 0) return
  await db.sql.run(`delete from records where no in (${marks(nos)})`, nos)
}

/** Counted, not kept: to check and mend what is kept. */
export async function countRecords(db: Queryable, datasetId: Id): Promise<{ records: number; completed: number }> {
  const text = `select count(*) as records, coalesce(sum(case when status = 'completed' then 1 else 0 end), 0) as completed
    from records where dataset_no = ${DATASET_NO}`
  const row = await db.sql.get<{ records: number; completed: number }>(text, [datasetId])
  return { records: Number(row?.records), completed: Number(row?.completed) }
}
