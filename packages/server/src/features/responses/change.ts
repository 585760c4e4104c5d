/**
 * Changes one or more responses of one user to records of one dataset. The response routes and jobs both write responses through
 * this module, so that history, record status and events are the same for both.
 */
import { isVersionStored, type ResponseStatus, type ResponseValues } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { emitRecords, emitResponses, notice } from '../../events/emit.ts'
import { laterThan } from '../../lib/clock.ts'
import { loadDatasetNo } from '../../storage/dataset-numbers.ts'
import { touchActivity } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { toResponseContent, toResponseRow } from '../records/rows.ts'
import type { RecordRow } from '../records/store.ts'
import { insertVersions, type NewVersion, toEarlierWriteIds, toVersion } from './history-store.ts'
import { recomputeStatuses } from './recompute.ts'
import { deleteResponses, insertDatasetUsers, insertResponses, type ResponseRow } from './store.ts'

interface ChangeTarget {
  dataset: StoredDataset
  /** Author of the responses. */
  userId: Id
  /** Bulk job that makes the changes. All versions it replaces are stored, so that it can be undone. */
  jobId: Id | null
}

interface NewResponse {
  status: ResponseStatus
  values?: ResponseValues | null | undefined
  write_id?: Id | null | undefined
}

export interface ResponseChange {
  record: RecordRow
  before: ResponseRow | null
  /** Already validated; null to delete the response. */
  after: NewResponse | null
  /** Number of other users who have submitted a response to the record, if known. */
  othersSubmitted?: number | undefined
  /** Original id and insertion time of a response that is restored. */
  restored?: { id: Id; inserted_at: string }
}

interface WrittenChange extends ResponseChange {
  now: string
  row: ResponseRow | null
}

/** Writes all changes. Returns the row of each change, or null if no response remains. */
export async function changeResponses(
  ctx: Context,
  tx: Tx,
  target: ChangeTarget,
  changes: readonly ResponseChange[],
): Promise<(ResponseRow | null)[]> {
  const { dataset, userId } = target
  const all = changes.map(change => toWrittenChange(ctx, target, change))
  const rows = all.flatMap(({ row }) => row ?? [])
  await deleteResponses(
    tx,
    all.flatMap(({ row, before }) => (row === null && before !== null ? before : [])),
  )
  const now = all.at(-1)?.now
  if (now !== undefined) touchActivity(tx, dataset.id, now)
  // Caches the dataset number, so that both statements below are sent together.
  await loadDatasetNo(tx, dataset.id)
  await Promise.all([
    insertResponses(tx, dataset.id, rows, { overwrite: true }),
    now !== undefined && rows.length > 0 && insertDatasetUsers(tx, dataset.id, [userId], now),
  ])
  await insertVersions(
    tx,
    all.flatMap(written => toHistoryVersion(written, target) ?? []),
  )
  await announceChanges(ctx, tx, dataset, all)
  return all.map(({ row }) => row)
}

function toWrittenChange(ctx: Context, { userId, jobId }: ChangeTarget, change: ResponseChange): WrittenChange {
  const { record, before, after, restored } = change
  const now = laterThan(ctx.now(), before?.updated_at)
  if (after === null) return { ...change, now, row: null }
  const given = toResponseRow(toResponseContent({ ...after, user_id: userId }), {
    id: ctx.newId(),
    now,
    recordNo: record.no,
  })
  const { id, inserted_at } = before ?? restored ?? given
  const earlier_write_ids = before && toEarlierWriteIds(before, isKept(before, after, jobId))
  return { ...change, now, row: { ...given, id, inserted_at, write_id: after.write_id ?? null, earlier_write_ids } }
}

const isKept = (before: ResponseRow, after: NewResponse | null, jobId: Id | null) =>
  jobId !== null || isVersionStored(before, after)

function toHistoryVersion(
  { before, after, record, row, now }: WrittenChange,
  { userId, jobId }: ChangeTarget,
): NewVersion | null {
  if (before !== null) {
    return isKept(before, after, jobId) ? toVersion(before, { replacedAt: now, jobId, isDeleted: after === null }) : null
  }
  // The absence of a response is stored only if a job may have to restore it.
  if (jobId === null || row === null) return null
  const none = { status: null, values: null, inserted_at: null, updated_at: null, write_id: null, earlier_write_ids: null }
  return { ...none, record_no: record.no, user_id: userId, response_id: row.id, replaced_at: now, job_id: jobId }
}

/**
 * Updates the status of the records. Emits `record.updated` only if the status changed, and `record.completed` only if the record
 * became completed.
 */
async function announceChanges(ctx: Context, tx: Tx, dataset: StoredDataset, all: readonly WrittenChange[]): Promise<void> {
  const dataset_id = dataset.id
  const records = await recomputeStatuses(
    ctx,
    tx,
    dataset,
    all.map(({ record }) => record),
    countSubmittedAfter(all),
  )
  const completed = records.filter(record => record.status === 'completed')
  emitRecords(tx, 'record.updated', dataset_id, records)
  emitRecords(tx, 'record.completed', dataset_id, completed)

  const recordRows = all.map(({ record }) => record)
  const created = all.flatMap(({ row, before }) => (row !== null && before === null ? row : []))
  const updated = all.flatMap(({ row, before }) => (row !== null && before !== null ? row : []))
  const deleted = all.flatMap(({ row, before }) => (row === null && before !== null ? before : []))
  emitResponses(tx, 'response.created', dataset, created, recordRows)
  emitResponses(tx, 'response.updated', dataset, updated, recordRows)
  emitResponses(tx, 'response.deleted', dataset, deleted, recordRows)
  notifyAuthor(tx, dataset_id, all)
}

/** Returns the number of submitted responses of each record, or undefined if it is not known for all of them. */
function countSubmittedAfter(all: readonly WrittenChange[]): ReadonlyMap<number, number> | undefined {
  const submitted = new Map<number, number>()
  for (const { record, row, othersSubmitted } of all) {
    if (othersSubmitted === undefined) return undefined
    submitted.set(record.no, othersSubmitted + (row?.status === 'submitted' ? 1 : 0))
  }
  return submitted
}

/** Notifies other pages that the author has open. */
function notifyAuthor(tx: Tx, dataset_id: Id, all: readonly WrittenChange[]): void {
  for (const { record, row, before, now } of all) {
    const response = row ?? before
    if (response === null) continue
    // The cast is safe: rows contain only values of `ResponseStatus`.
    const data = { record_id: record.id, status: (row?.status ?? null) as ResponseStatus | null, updated_at: now }
    notice(tx, { name: 'response-changed', dataset_id, user_id: response.user_id, data })
  }
}
