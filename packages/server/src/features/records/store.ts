/** All SQL of records. JSON columns are text here, so that lists are returned without parsing. */
import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import { marks, type Param, type Queryable } from '../../storage/database.ts'
import { DATASET_NO, datasetIdSql, findDatasetNo, loadDatasetNo } from '../../storage/dataset-numbers.ts'
import { among, type RecordsPage, toNumbersQuery } from '../../storage/record-pages.ts'

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
 * Fields are large and have a separate table: a response that completes a record does not rewrite them, and columns can be read
 * without them.
 */
const SELECT_FROM = 'from records r join record_fields f on f.record_no = r.no'
const SELECTED = COLUMNS.map(column => `r.${column}`).join(', ')
const SELECT = `select ${SELECTED}, ${datasetIdSql('r')} as dataset_id, f.fields ${SELECT_FROM}`
/** Used if the dataset is known, so that its id is not looked up for each row. */
const SELECT_KNOWN = `select ${SELECTED}, f.fields ${SELECT_FROM}`

/** The plus keeps SQLite from scanning all records of the dataset for a long list of ids. Records are found by id. */
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

/** Updates fields, metadata and `updated_at` of existing records. Their status depends on responses and is written separately. */
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
 * Loads and locks the record, so that only one transaction at a time changes its status, responses and history. Lock it before
 * reading anything that the change depends on.
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

/** Same as `listRecordsByIds`, but locks the records, always in the order of their numbers to avoid deadlocks. */
export function listRecordsToChange(db: Queryable, datasetId: Id, ids: readonly Id[]): Promise<RecordRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  const text = `${SELECT} where ${WITHIN} and r.id in (${marks(ids)}) order by r.no${db.dialect.forUpdate}`
  return db.sql.all(text, [datasetId, ...ids])
}

/** Lists the records with one of these ids or external ids, and locks them in the order of their numbers. */
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

/** Returns those of the external ids that exist. */
export async function listExternalIdsIn(db: Queryable, datasetId: Id, externalIds: readonly string[]): Promise<string[]> {
  if (externalIds.length === 0) return []
  const { indexed } = db.dialect
  const text = `select r.external_id from records r
    where r.dataset_no = ${DATASET_NO} and ${indexed.column('r.external_id')} in (${marks(externalIds)})`
  const found = await db.sql.column<string>(text, [datasetId, ...externalIds.map(indexed.value)])
  const wanted = new Set(externalIds)
  return found.filter(id => wanted.has(id))
}

/** Lists the records with these numbers in the given order; numbers without a record are omitted. */
export async function listRecordsByNumbers(db: Queryable, nos: readonly number[]): Promise<RecordRow[]> {
  if (nos.length === 0) return []
  return inOrder(nos, await db.sql.all<RecordRow>(`${SELECT} where r.no in (${marks(nos)})`, nos))
}

/** Same as `listRecordsByNumbers`, if all records belong to this dataset. */
export async function listRecordsOf(db: Queryable, datasetId: Id, nos: readonly number[]): Promise<RecordRow[]> {
  if (nos.length === 0) return []
  return inOrder(nos, withDataset(datasetId, await db.sql.all(`${SELECT_KNOWN} where r.no in (${marks(nos)})`, nos)))
}

function inOrder(nos: readonly number[], rows: readonly RecordRow[]): RecordRow[] {
  const byNo = new Map(rows.map(row => [row.no, row]))
  return nos.flatMap(no => byNo.get(no) ?? [])
}

const withDataset = (dataset_id: Id, rows: readonly Omit<RecordRow, 'dataset_id'>[]): RecordRow[] =>
  rows.map(row => Object.assign(row, { dataset_id }))

/**
 * Lists a page of a dataset's records, oldest first (numbers and times grow together, see lib/clock.ts). Pages in the second half
 * are read from the end, so that the last page costs as little as the first.
 */
export async function listRecordsPage(db: Queryable, datasetId: Id, page: RecordsPage): Promise<RecordRow[]> {
  if (page.limit <= 0) return []
  const { datasetNo, limit, skipped, isBackwards } = page
  // The offset scan only reads a narrow index; whole rows are loaded for the page only.
  const numbers = toNumbersQuery(db.dialect, page)
  if (numbers) {
    const { text, params } = among('r.no', numbers)
    return withDataset(datasetId, await db.sql.all(`${SELECT_KNOWN} where ${text} order by r.no`, params))
  }
  const rows = await db.sql.all<RecordRow>(
    `${SELECT_KNOWN} where r.no in (
      select no from records where dataset_no = ? order by no ${isBackwards ? 'desc' : 'asc'} limit ? offset ?
    ) order by r.no`,
    [datasetNo, limit, skipped],
  )
  return withDataset(datasetId, rows)
}

export async function findRecordsPage(
  db: Queryable,
  datasetId: Id,
  { offset, limit, total }: { offset: number; limit: number; total: number },
): Promise<RecordsPage> {
  const datasetNo = await findDatasetNo(db, datasetId)
  // A page after the last record is empty.
  const most = Math.max(0, Math.min(limit, total - offset))
  const fromEnd = Math.max(0, total - offset - most)
  const isBackwards = fromEnd < offset
  return { datasetNo, limit: most, skipped: isBackwards ? fromEnd : offset, isBackwards }
}

/** Returns the insertion time of the newest record, or null if there are no records. */
export async function findNewestTime(db: Queryable): Promise<string | null> {
  const row = await db.sql.get<{ inserted_at: string }>('select inserted_at from records order by no desc limit 1')
  return row?.inserted_at ?? null
}

/** Deletes records; their relations are deleted by cascade. */
export async function deleteRecords(db: Queryable, nos: readonly number[]): Promise<void> {
  if (nos.length === 0) return
  await db.sql.run(`delete from records where no in (${marks(nos)})`, nos)
}

/** Counts the records, to verify and repair the stored totals. */
export async function countRecords(db: Queryable, datasetId: Id): Promise<{ records: number; completed: number }> {
  const text = `select count(*) as records, coalesce(sum(case when status = 'completed' then 1 else 0 end), 0) as completed
    from records where dataset_no = ${DATASET_NO}`
  const row = await db.sql.get<{ records: number; completed: number }>(text, [datasetId])
  return { records: Number(row?.records), completed: Number(row?.completed) }
}

/** Lists the records of a dataset after a number, oldest first. */
export async function listRecordsAfter(db: Queryable, datasetId: Id, after: number, limit: number): Promise<RecordRow[]> {
  const text = `${SELECT} where r.dataset_no = ? and r.no > ? order by r.no limit ?`
  return db.sql.all(text, [await findDatasetNo(db, datasetId), after, limit])
}

/** True if a record of the dataset may contain an image as a data URL. */
export async function hasDataUrls(db: Queryable, datasetId: Id): Promise<boolean> {
  const text = `select 1 from records r join record_fields f on f.record_no = r.no
    where r.dataset_no = ? and f.fields like '%"data:image/%' limit 1`
  return (await db.sql.get(text, [await findDatasetNo(db, datasetId)])) !== undefined
}
