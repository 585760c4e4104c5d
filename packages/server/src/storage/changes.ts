/**
 * The change log: all SQL of `dataset_heads` and `changes`.
 *
 * The row of a head is locked from the increment of its number until the commit, so the numbers of a dataset have no gaps and are
 * in commit order: a follower that reads all entries after the last number it has seen misses nothing. A sequence does not
 * guarantee this, because transactions may commit in a different order than they take its numbers.
 */
import type { ChangeDetails, ChangeName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import { packNumbers, unpackNumbers } from '../lib/packed-numbers.ts'
import type { ChangesTable, DatasetHeadsTable } from './change-tables.ts'
import { marks, type Param, type Queryable } from './database.ts'
import { deleteDeletedRecords, insertDeletedRecords } from './deleted-records.ts'
import type { HeadChange, NewChange } from './heads.ts'
import { insertSegment } from './text-segments.ts'

const COLUMNS = ['dataset_id', 'change_no', 'event', 'record_nos', 'details', 'actor_id', 'inserted_at'] as const

export async function insertHead(db: Queryable, datasetId: Id, lastActivityAt: string): Promise<void> {
  const text = `insert into dataset_heads (dataset_id, change_no, records_count, completed_count, last_activity_at)
    values (?, 0, 0, 0, ?)`
  await db.sql.run(text, [datasetId, lastActivityAt])
}

/** Locks a head, so that totals counted now stay valid until the transaction ends. */
export async function lockHead(db: Queryable, datasetId: Id): Promise<void> {
  await db.sql.get(`select 1 from dataset_heads where dataset_id = ?${db.dialect.forUpdate}`, [datasetId])
}

/** Sets the stored totals. For repairs only, because writes of records update them. */
export async function setCounts(
  db: Queryable,
  datasetId: Id,
  { records, completed }: { records: number; completed: number },
): Promise<void> {
  const text = 'update dataset_heads set records_count = ?, completed_count = ? where dataset_id = ?'
  await db.sql.run(text, [records, completed, datasetId])
}

/**
 * Updates the heads and appends the entries; these are the last statements of a transaction. Returns the new numbers of the heads
 * with entries.
 */
export async function appendChanges(
  db: Queryable,
  heads: ReadonlyMap<Id, HeadChange>,
  { actorId, now }: { actorId: Id | null; now: string },
): Promise<Map<Id, number>> {
  const rows: Param[][] = []
  const moved = new Map<Id, number>()
  // Locks heads in a fixed order to prevent deadlocks.
  for (const datasetId of [...heads.keys()].sort()) {
    const head = heads.get(datasetId) as HeadChange
    if (canAppendInOneStatement(db, head)) {
      moved.set(datasetId, await appendInOneStatement(db, datasetId, head, [actorId, now]))
      continue
    }
    const last = await moveHead(db, datasetId, head)
    const first = last - head.changes.length + 1
    if (head.segment) {
      if (head.changes.length === 0) throw new Error('A text segment is written together with a change')
      await insertSegment(db, datasetId, last, head.segment)
    }
    if (head.changes.length > 0) moved.set(datasetId, last)
    for (const [index, change] of head.changes.entries()) {
      if (change.event === 'record.deleted') await storeDeletedIds(db, datasetId, first + index, change)
      rows.push([datasetId, first + index, ...toContent(change), actorId, now])
    }
  }
  await db.sql.insertAll('changes', COLUMNS, rows)
  return moved
}

const toContent = ({ event, recordNos = [], details }: NewChange): Param[] => [
  event,
  recordNos.length === 0 ? null : packNumbers(recordNos),
  details ? JSON.stringify(details) : null,
]

/**
 * True if PostgreSQL can do both in one statement, which holds the lock of the head for a shorter time. The number of entries is
 * limited, so that there are few statement texts and they stay prepared.
 */
const canAppendInOneStatement = ({ dialect }: Queryable, { changes, segment }: HeadChange) =>
  dialect.name === 'postgres' &&
  segment === undefined &&
  changes.length > 0 &&
  changes.length <= 4 &&
  changes.every(({ event }) => event !== 'record.deleted')

/** Updates the head and appends its entries; returns its number. */
async function appendInOneStatement(db: Queryable, datasetId: Id, head: HeadChange, by: [Id | null, string]): Promise<number> {
  const { changes } = head
  const text = `with head as (${MOVE_HEAD}),
    entries as (insert into changes (${COLUMNS.join(', ')})
      select ?, head.change_no - e.before, e.event, e.record_nos, e.details, ?, ? from head,
        (values ${changes.map(() => '(?::int, ?, ?::bytea, ?)').join(', ')}) as e (before, event, record_nos, details))
    select change_no from head`
  const entries = changes.flatMap((change, index) => [changes.length - 1 - index, ...toContent(change)])
  return toHeadNumber(datasetId, await db.sql.get(text, [...toMove(datasetId, head), datasetId, ...by, ...entries]))
}

/** Stores the ids of deleted records, because earlier entries refer to the records only by number. */
async function storeDeletedIds(
  db: Queryable,
  datasetId: Id,
  changeNo: number,
  { recordNos = [], details }: NewChange,
): Promise<void> {
  const ids = details?.record_ids ?? []
  const records = recordNos.map((no, index) => ({ no, id: ids[index] as Id }))
  await insertDeletedRecords(db, { datasetId, changeNo, records })
}

const MOVE_HEAD = `update dataset_heads set change_no = change_no + ?, records_count = records_count + ?,
  completed_count = completed_count + ?, last_activity_at = coalesce(?, last_activity_at)
  where dataset_id = ? returning change_no`

const toMove = (datasetId: Id, head: HeadChange): Param[] => [
  head.changes.length,
  head.records,
  head.completed,
  head.activityAt,
  datasetId,
]

/** Returns the head's new number. */
async function moveHead(db: Queryable, datasetId: Id, head: HeadChange): Promise<number> {
  return toHeadNumber(datasetId, await db.sql.get(MOVE_HEAD, toMove(datasetId, head)))
}

function toHeadNumber(datasetId: Id, row: { change_no: number } | undefined): number {
  if (!row) throw new Error(`Dataset ${datasetId} has no head`)
  return row.change_no
}

export interface Change {
  change_no: number
  event: ChangeName
  record_nos: number[]
  details: ChangeDetails | null
  actor_id: Id | null
  inserted_at: string
}

/** `rebuild` means that entries after the given number are missing and the follower must start from the tables. */
export type ReadChangesResult = { kind: 'changes'; changes: Change[] } | { kind: 'rebuild' }

/** Reads the entries of a dataset's log after number `after`, oldest first, at most `limit`. */
export async function readChanges(db: Queryable, datasetId: Id, after: number, limit: number): Promise<ReadChangesResult> {
  // Reads the head first: entries committed in between can only be newer than it, so none appears to be missing.
  const head = await findHeadNumber(db, datasetId)
  // A follower may be ahead of the log if the database was restored from a backup.
  if (head === null || after > head) return { kind: 'rebuild' }
  const text = `select ${COLUMNS.join(', ')} from changes where dataset_id = ? and change_no > ? order by change_no limit ?`
  const rows = await db.sql.all<ChangesTable>(text, [datasetId, after, limit])
  const isPruned = rows[0] ? rows[0].change_no !== after + 1 : after < head
  return isPruned ? { kind: 'rebuild' } : { kind: 'changes', changes: rows.map(toChange) }
}

/** Returns the number of the oldest stored entry; null without entries. */
export async function findFirstNumber(db: Queryable, datasetId: Id): Promise<number | null> {
  const text = 'select change_no from changes where dataset_id = ? order by change_no limit 1'
  return (await db.sql.get<Pick<ChangesTable, 'change_no'>>(text, [datasetId]))?.change_no ?? null
}

/** Returns the numbers of the newest entries by dataset. */
export async function listHeadNumbers(db: Queryable, datasetIds: readonly Id[]): Promise<Map<Id, number>> {
  if (datasetIds.length === 0) return new Map()
  const text = `select dataset_id, change_no from dataset_heads where dataset_id in (${marks(datasetIds)})`
  const rows = await db.sql.all<Pick<DatasetHeadsTable, 'dataset_id' | 'change_no'>>(text, datasetIds)
  return new Map(rows.map(row => [row.dataset_id, row.change_no]))
}

/** Returns the number of the newest entry of a dataset's log; null for an unknown dataset. */
export async function findHeadNumber(db: Queryable, datasetId: Id): Promise<number | null> {
  const row = await db.sql.get<Pick<DatasetHeadsTable, 'change_no'>>('select change_no from dataset_heads where dataset_id = ?', [
    datasetId,
  ])
  return row?.change_no ?? null
}

function toChange({ change_no, event, record_nos, details, actor_id, inserted_at }: ChangesTable): Change {
  return {
    change_no,
    event: event as ChangeName,
    record_nos: record_nos === null ? [] : unpackNumbers(record_nos),
    details: details === null ? null : JSON.parse(details),
    actor_id,
    inserted_at,
  }
}

export interface LogAge {
  dataset_id: Id
  /** Time of its oldest entry; null without entries. */
  oldest_at: string | null
  /** 1 if its dataset was deleted. */
  is_deleted: number
}

/** Lists the next logs, ordered by dataset id. */
export function listLogsAfter(db: Queryable, after: Id, limit: number): Promise<LogAge[]> {
  const text = `select h.dataset_id,
    (select c.inserted_at from changes c where c.dataset_id = h.dataset_id order by c.change_no limit 1) as oldest_at,
    case when exists (select 1 from datasets d where d.id = h.dataset_id) then 0 else 1 end as is_deleted
    from dataset_heads h where h.dataset_id > ? order by h.dataset_id limit ?`
  return db.sql.all(text, [after, limit])
}

/**
 * Deletes the oldest entries of a dataset that were written before a time, at most `limit`; returns how many. Stops at the first
 * newer entry, even if a wrong clock gave later ones an older time, so that the log has no gaps.
 */
export async function deleteOldChanges(
  db: Queryable,
  datasetId: Id,
  { before, limit }: { before: string; limit: number },
): Promise<number> {
  const text = 'select change_no, inserted_at from changes where dataset_id = ? order by change_no limit ?'
  const rows = await db.sql.all<Pick<ChangesTable, 'change_no' | 'inserted_at'>>(text, [datasetId, limit])
  const firstKept = rows.findIndex(row => row.inserted_at >= before)
  const old = firstKept === -1 ? rows : rows.slice(0, firstKept)
  const last = old.at(-1)
  if (!last) return 0
  await db.sql.run('delete from changes where dataset_id = ? and change_no <= ?', [datasetId, last.change_no])
  await deleteDeletedRecords(db, datasetId, last.change_no)
  return old.length
}

/** Deletes the head of a deleted dataset, unless it still has log entries or records. */
export async function deleteHead(db: Queryable, datasetId: Id): Promise<void> {
  const text = `delete from dataset_heads where dataset_id = ? and not exists (select 1 from changes where dataset_id = ?)
    and not exists (select 1 from records where dataset_no = dataset_heads.no)`
  await db.sql.run(text, [datasetId, datasetId])
}
