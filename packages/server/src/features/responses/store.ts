/** All SQL of responses. */
import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { DATASET_NO, loadDatasetNo } from '../../storage/dataset-numbers.ts'

export interface ResponseRow {
  id: Id
  record_no: number
  user_id: Id
  status: string
  values: string
  inserted_at: string
  updated_at: string
  /** The client's name for the write that made it so. */
  write_id?: string | null
  /** Names of writes that made it a draft which a draft replaced: a JSON list, or null for none. No history is kept of those. */
  earlier_write_ids?: string | null
}

const COLUMNS = [
  'id',
  'record_no',
  'user_id',
  'status',
  'values',
  'inserted_at',
  'updated_at',
  'write_id',
  'earlier_write_ids',
] as const
const SELECT = `select ${COLUMNS.map(column => `"${column}"`).join(', ')} from responses`

/** One response per record and user: the newer overwrites, keeping id and first time. */
const OVERWRITE = `on conflict (record_no, user_id) do update set status = excluded.status, "values" = excluded."values",
  updated_at = excluded.updated_at, write_id = excluded.write_id, earlier_write_ids = excluded.earlier_write_ids`

export async function insertResponses(
  db: Queryable,
  datasetId: Id,
  rows: readonly ResponseRow[],
  options: { overwrite: boolean },
): Promise<void> {
  if (rows.length === 0) return
  const datasetNo = await loadDatasetNo(db, datasetId)
  await db.sql.insertAll(
    'responses',
    ['dataset_no', ...COLUMNS],
    rows.map(row => [datasetNo, ...COLUMNS.map(column => row[column] ?? null)]),
    options.overwrite ? OVERWRITE : '',
  )
}

/** Responses of all users, or of one. */
export function listResponsesOf(db: Queryable, recordNos: readonly number[], userId: Id | null): Promise<ResponseRow[]> {
  if (recordNos.length === 0) return Promise.resolve([])
  const only = userId === null ? '' : 'and user_id = ?'
  const text = `${SELECT} where record_no in (${marks(recordNos)}) ${only} order by inserted_at, id`
  return db.sql.all(text, userId === null ? recordNos : [...recordNos, userId])
}

/** Locked: what is asked of it still holds when it is changed. */
export async function findResponse(db: Queryable, recordNo: number, userId: Id): Promise<ResponseRow | null> {
  const text = `${SELECT} where record_no = ? and user_id = ?${db.dialect.forUpdate}`
  return (await db.sql.get<ResponseRow>(text, [recordNo, userId])) ?? null
}

export async function loadResponse(db: Queryable, id: Id): Promise<ResponseRow & { record_id: Id }> {
  const columns = COLUMNS.map(column => `p."${column}"`).join(', ')
  const text = `select ${columns}, r.id as record_id from responses p join records r on r.no = p.record_no where p.id = ?`
  const row = await db.sql.get<ResponseRow & { record_id: Id }>(text, [id])
  if (!row) throw notFound('Response', id)
  return row
}

export async function deleteResponses(db: Queryable, rows: readonly ResponseRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.sql.run(
    `delete from responses where id in (${marks(rows)})`,
    rows.map(row => row.id),
  )
}

/** How many users submitted a response, for each of these records that has any. */
export async function countSubmitted(db: Queryable, recordNos: readonly number[]): Promise<Map<number, number>> {
  if (recordNos.length === 0) return new Map()
  const text = `select record_no, count(*) as submitted from responses
    where record_no in (${marks(recordNos)}) and status = 'submitted' group by record_no`
  const rows = await db.sql.all<{ record_no: number; submitted: number }>(text, recordNos)
  return new Map(rows.map(row => [row.record_no, row.submitted]))
}

export interface RecentRow {
  record_id: Id
  external_id: string | null
  response_id: Id
  status: string
  values: string
  updated_at: string
}

/** A user's last responses in a dataset: the end of an index. */
export function listRecentResponses(db: Queryable, datasetId: Id, userId: Id, limit: number): Promise<RecentRow[]> {
  const text = `select r.id as record_id, r.external_id, p.id as response_id, p.status, p."values", p.updated_at
    from responses p join records r on r.no = p.record_no
    where p.dataset_no = ${DATASET_NO} and p.user_id = ? order by p.updated_at desc, p.id desc limit ?`
  return db.sql.all(text, [datasetId, userId, limit])
}

/** Remembers who gave responses in a dataset, in the order of their first; never forgotten while the user exists. */
export function insertDatasetUsers(db: Queryable, datasetId: Id, userIds: readonly Id[], now: string): Promise<void> {
  const rows = userIds.map(userId => [datasetId, userId, now])
  return db.sql.insertAll('datasets_users', ['dataset_id', 'user_id', 'inserted_at'], rows, 'on conflict do nothing')
}
