/** All SQL of the history of responses. */
import { EARLIER_WRITES_MAX, VERSIONS_MAX } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import type { ResponseRow } from './store.ts'

export interface VersionRow {
  record_no: number
  user_id: Id
  version: number
  response_id: Id
  /** Null if there was no response. */
  status: string | null
  values: string | null
  inserted_at: string | null
  updated_at: string | null
  write_id: string | null
  replaced_at: string
  job_id: Id | null
}

export interface NewVersion extends Omit<VersionRow, 'version'> {
  /** Set for a deleted response, whose row no longer exists. */
  earlier_write_ids: string | null
}

const COLUMNS = [
  'record_no',
  'user_id',
  'version',
  'response_id',
  'status',
  'values',
  'inserted_at',
  'updated_at',
  'write_id',
  'replaced_at',
  'job_id',
] as const
const SELECT = `select ${COLUMNS.map(column => `"${column}"`).join(', ')} from response_history`

/**
 * Returns the write ids that the response replacing `before` must remember. `isKept` is true if `before` is added to the history,
 * which then contains its write id.
 */
export function toEarlierWriteIds(before: ResponseRow, isKept: boolean): string | null {
  const { write_id, earlier_write_ids = null } = before
  if (isKept || write_id == null) return earlier_write_ids
  const earlier: Id[] = earlier_write_ids === null ? [] : JSON.parse(earlier_write_ids)
  return JSON.stringify([...earlier, write_id].slice(-EARLIER_WRITES_MAX))
}

/** Converts a response to a version of the history. */
export function toVersion(
  before: ResponseRow,
  { replacedAt, jobId, isDeleted }: { replacedAt: string; jobId: Id | null; isDeleted: boolean },
): NewVersion {
  const { id, record_no, user_id, status, values, inserted_at, updated_at, write_id = null } = before
  return {
    record_no,
    user_id,
    response_id: id,
    status,
    values,
    inserted_at,
    updated_at,
    write_id,
    replaced_at: replacedAt,
    job_id: jobId,
    earlier_write_ids: isDeleted ? (before.earlier_write_ids ?? null) : null,
  }
}

const keyOf = (row: { record_no: number; user_id: Id }) => `${row.record_no} ${row.user_id}`

/** Stores versions, one per record and user, and deletes the oldest beyond the limit. */
export async function insertVersions(db: Queryable, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return
  const last = await findLastVersions(
    db,
    versions.map(version => version.record_no),
  )
  const rows = versions.map(version => ({ ...version, version: (last.get(keyOf(version)) ?? 0) + 1 }))
  const columns = [...COLUMNS, 'earlier_write_ids'] as const
  await db.sql.insertAll(
    'response_history',
    columns,
    rows.map(row => columns.map(column => row[column])),
  )
  await db.sql.runEach(
    'delete from response_history where record_no = ? and user_id = ? and version <= ?',
    rows.filter(row => row.version > VERSIONS_MAX).map(row => [row.record_no, row.user_id, row.version - VERSIONS_MAX]),
  )
}

/** Returns the number of the newest version by record and user. */
async function findLastVersions(db: Queryable, recordNos: readonly number[]): Promise<Map<string, number>> {
  const text = `select record_no, user_id, max(version) as version from response_history
    where record_no in (${marks(recordNos)}) group by record_no, user_id`
  const rows = await db.sql.all<{ record_no: number; user_id: Id; version: number }>(text, recordNos)
  return new Map(rows.map(row => [keyOf(row), row.version]))
}

/** Lists versions, newest first. */
export function listVersions(db: Queryable, recordNo: number, userId: Id): Promise<VersionRow[]> {
  return db.sql.all(`${SELECT} where record_no = ? and user_id = ? order by version desc limit ?`, [
    recordNo,
    userId,
    VERSIONS_MAX,
  ])
}

/** True if this write created a response that was replaced or deleted since. */
export async function hasVersionOfWrite(db: Queryable, recordNo: number, userId: Id, writeId: Id): Promise<boolean> {
  const text = `select 1 from response_history where record_no = ? and user_id = ?
    and (write_id = ? or earlier_write_ids like ?) limit 1`
  return (await db.sql.get(text, [recordNo, userId, writeId, `%"${writeId}"%`])) !== undefined
}

/** Lists the versions that a job replaced. `is_last` is 1 if there is no later version for the record and user. */
export function listVersionsOfJob(
  db: Queryable,
  jobId: Id,
  recordNos: readonly number[],
): Promise<(VersionRow & { is_last: number })[]> {
  if (recordNos.length === 0) return Promise.resolve([])
  const columns = COLUMNS.map(column => `h."${column}"`).join(', ')
  const text = `select ${columns}, case when exists (
      select 1 from response_history n where n.record_no = h.record_no and n.user_id = h.user_id and n.version > h.version
    ) then 0 else 1 end as is_last
    from response_history h where h.job_id = ? and h.record_no in (${marks(recordNos)})`
  return db.sql.all(text, [jobId, ...recordNos])
}

/** Lists the records whose responses a job replaced. */
export async function listRecordIdsOfJob(db: Queryable, jobId: Id): Promise<Id[]> {
  const text = `select r.id from response_history h join records r on r.no = h.record_no
    where h.job_id = ? order by h.record_no`
  return (await db.sql.all<{ id: Id }>(text, [jobId])).map(row => row.id)
}
