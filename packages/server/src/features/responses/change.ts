/**
 * Changes responses of one user to records of one dataset: one, or a batch. The only place that writes them for the response
 * routes and for jobs, so that the history, the records' status and the events are the same for both.
 */
import { isVersionKept, type ResponseStatus, type ResponseValues } from '@postil/domain/responses'
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

interface Changed {
  dataset: StoredDataset
  /** Whose responses they are. */
  userId: Id
  /** The bulk job that changes them: it keeps all it replaces, to be undone. */
  jobId: Id | null
}

interface Wanted {
  status: ResponseStatus
  values?: ResponseValues | null | undefined
  write_id?: Id | null | undefined
}

export interface ResponseChange {
  record: RecordRow
  before: ResponseRow | null
  /** Checked already; null for no response. */
  after: Wanted | null
  /** A response that comes back has the id and the first time it had. */
  restored?: { id: Id; inserted_at: string }
}

interface Written extends ResponseChange {
  now: string
  row: ResponseRow | null
}

/** Writes all; answers the row of each change, null for those that leave no response. */
export async function changeResponses(
  ctx: Context,
  tx: Tx,
  changed: Changed,
  changes: readonly ResponseChange[],
): Promise<(ResponseRow | null)[]> {
  const { dataset, userId } = changed
  const all = changes.map(change => toWritten(ctx, changed, change))
  const rows = all.flatMap(({ row }) => row ?? [])
  await deleteResponses(
    tx,
    all.flatMap(({ row, before }) => (row === null && before !== null ? before : [])),
  )
  const now = all.at(-1)?.now
  if (now !== undefined) touchActivity(tx, dataset.id, now)
  // Remembered from here on, so that both statements are sent together.
  await loadDatasetNo(tx, dataset.id)
  await Promise.all([
    insertResponses(tx, dataset.id, rows, { overwrite: true }),
    now !== undefined && rows.length > 0 && insertDatasetUsers(tx, dataset.id, [userId], now),
  ])
  await insertVersions(
    tx,
    all.flatMap(written => toKept(written, changed) ?? []),
  )
  await tell(ctx, tx, dataset, all)
  return all.map(({ row }) => row)
}

function toWritten(ctx: Context, { userId, jobId }: Changed, change: ResponseChange): Written {
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

const isKept = (before: ResponseRow, after: Wanted | null, jobId: Id | null) => jobId !== null || isVersionKept(before, after)

function toKept({ before, after, record, row, now }: Written, { userId, jobId }: Changed): NewVersion | null {
  if (before !== null) {
    return isKept(before, after, jobId) ? toVersion(before, { replacedAt: now, jobId, isDeleted: after === null }) : null
  }
  // That there was none must be known only where it may have to be so again.
  if (jobId === null || row === null) return null
  const none = { status: null, values: null, inserted_at: null, updated_at: null, write_id: null, earlier_write_ids: null }
  return { ...none, record_no: record.no, user_id: userId, response_id: row.id, replaced_at: now, job_id: jobId }
}

/** Records' status follows; they are told of only when it changed, and as completed only when they became so. */
async function tell(ctx: Context, tx: Tx, dataset: StoredDataset, all: readonly Written[]): Promise<void> {
  const dataset_id = dataset.id
  const records = await recomputeStatuses(
    ctx,
    tx,
    dataset,
    all.map(({ record }) => record),
  )
  const completed = records.filter(record => record.status === 'completed')
  emitRecords(tx, 'record.updated', dataset_id, records)
  emitRecords(tx, 'record.completed', dataset_id, completed)

  const answered = all.map(({ record }) => record)
  const created = all.flatMap(({ row, before }) => (row !== null && before === null ? row : []))
  const updated = all.flatMap(({ row, before }) => (row !== null && before !== null ? row : []))
  const deleted = all.flatMap(({ row, before }) => (row === null && before !== null ? before : []))
  emitResponses(tx, 'response.created', dataset, created, answered)
  emitResponses(tx, 'response.updated', dataset, updated, answered)
  emitResponses(tx, 'response.deleted', dataset, deleted, answered)
  tellAuthor(tx, dataset_id, all)
}

/** For other pages that the author has open. */
function tellAuthor(tx: Tx, dataset_id: Id, all: readonly Written[]): void {
  for (const { record, row, before, now } of all) {
    const response = row ?? before
    if (response === null) continue
    // Rows hold words of ResponseStatus only.
    const data = { record_id: record.id, status: (row?.status ?? null) as ResponseStatus | null, updated_at: now }
    notice(tx, { name: 'response-changed', dataset_id, user_id: response.user_id, data })
  }
}
