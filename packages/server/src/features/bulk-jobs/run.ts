/**
 * Runs a bulk job in batches, on behalf of the user who created it. Each batch is applied, counted and deleted in one
 * transaction: after a crash the server continues with the remaining batches and repeats none.
 */
import { type BulkAction, type BulkFailure, FAILURES_MAX, toBulkFailure, toBulkResponse } from '@postil/domain/bulk-jobs'
import { DomainError, forbidden, notFound } from '@postil/domain/errors'
import { canCreateResponse } from '@postil/domain/permissions'
import type { RecordFields } from '@postil/domain/records'
import { checkResponse } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { JobStep } from '../../jobs/all.ts'
import { type Tx, write } from '../../storage/write.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset, findLockedDataset, type StoredDataset } from '../datasets/store.ts'
import { listRecordsToChange, type RecordRow } from '../records/store.ts'
import { changeResponses, type ResponseChange } from '../responses/change.ts'
import { listResponsesOf, type ResponseRow } from '../responses/store.ts'
import { findActorById } from '../users/store.ts'
import { deleteRecordsOf } from './delete-records.ts'
import { type BulkJobRow, deletePiece, findBulkJob, findPiece, lockBulkJob, setUndone, updateProgress } from './store.ts'
import { listSuggestedAnswers } from './suggested-answers.ts'
import { createRestoreChange } from './undo.ts'

export interface Piece {
  tx: Tx
  job: BulkJobRow
  dataset: StoredDataset
  settings: DatasetSettings
  records: RecordRow[]
  /** The user's responses, by record number. */
  responses: ReadonlyMap<number, ResponseRow>
}

/** Returns the change for one record, or null if nothing has to change. Throws the reason if the change is not possible. */
export type ToChange = (record: RecordRow) => ResponseChange | null

/** Jobs of earlier releases lack `dataset_id` and `user_id`; those of the row in `bulk_jobs` apply. */
interface BulkJobPayload {
  bulk_job_id: Id
  dataset_id?: Id
  user_id?: Id
}

export const runBulkJob: JobStep<BulkJobPayload> = (ctx, payload) =>
  write(ctx, async tx => {
    const job = await findBulkJobToRun(tx, payload.bulk_job_id)
    if (!job || !['queued', 'started'].includes(job.status)) return null
    tx.actorId = job.user_id
    const piece = await findPiece(tx, job.id)
    const failures = piece === null ? [] : await runPiece(ctx, tx, job, piece.recordIds)
    if (piece !== null) await deletePiece(tx, job.id, piece.position)

    const done = job.done + (piece?.recordIds.length ?? 0) - failures.length
    const failed = job.failed + failures.length
    const hasEnded = piece === null || done + failed >= job.total
    await updateProgress(tx, {
      id: job.id,
      status: hasEnded ? 'finished' : 'started',
      done,
      failed,
      failures: withFailures(job.failures, failures),
      finished_at: hasEnded ? ctx.now() : null,
    })
    if (hasEnded && job.undoes !== null) await setUndone(tx, job.undoes)
    return hasEnded ? null : payload
  })

/** Loads the job with its dataset locked, because another worker may run it too after its lease expired. */
async function findBulkJobToRun(tx: Tx, id: Id): Promise<BulkJobRow | null> {
  const found = await findBulkJob(tx, id)
  if (!found) return null
  await findLockedDataset(tx, found.dataset_id)
  await lockBulkJob(tx, id)
  return findBulkJob(tx, id)
}

function withFailures(known: string, more: readonly BulkFailure[]): string {
  if (more.length === 0) return known
  return JSON.stringify([...(JSON.parse(known) as BulkFailure[]), ...more].slice(0, FAILURES_MAX))
}

/** Returns the records that could not be changed, with the reasons. */
async function runPiece(ctx: Context, tx: Tx, job: BulkJobRow, recordIds: readonly Id[]): Promise<BulkFailure[]> {
  if (job.type === 'delete_records') return deleteRecordsOf(tx, job, recordIds)
  const dataset = await findDataset(tx, job.dataset_id)
  const actor = await findActorById(tx, job.user_id)
  if (!dataset || !actor || !canCreateResponse(actor, dataset)) {
    return recordIds.map(record_id => toBulkFailure(record_id, forbidden()))
  }
  const settings = await loadDatasetSettings(tx, dataset)
  const records = await listRecordsToChange(tx, dataset.id, recordIds)
  const found = await listResponsesOf(
    tx,
    records.map(record => record.no),
    actor.id,
  )
  const responses = new Map(found.map(response => [response.record_no, response]))
  const piece: Piece = { tx, job, dataset, settings, records, responses }
  const toChange = job.undoes === null ? await createAnswerChange(piece) : await createRestoreChange(piece, job.undoes)

  const { changes, failures } = collectChanges(piece, recordIds, toChange)
  await changeResponses(ctx, tx, { dataset, userId: actor.id, jobId: job.id }, changes)
  return failures
}

function collectChanges({ records, settings }: Piece, recordIds: readonly Id[], toChange: ToChange) {
  const changes: ResponseChange[] = []
  const failures: BulkFailure[] = []
  const byId = new Map(records.map(record => [record.id, record]))
  for (const record_id of recordIds) {
    try {
      const record = byId.get(record_id)
      if (!record) throw notFound('Record', record_id)
      const change = toChange(record)
      if (change?.after) checkResponse(change.after, settings.rules, JSON.parse(record.fields) as RecordFields)
      if (change) changes.push(change)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      failures.push(toBulkFailure(record_id, error))
    }
  }
  return { changes, failures }
}

async function createAnswerChange(piece: Piece): Promise<ToChange> {
  const { action, merge } = JSON.parse(piece.job.request) as { action: BulkAction; merge: boolean }
  const suggestions = action.type === 'accept_suggestions' ? await listSuggestedAnswers(piece) : new Map()
  return record => {
    const before = piece.responses.get(record.no) ?? null
    const after = toBulkResponse(action, merge, {
      values: before === null ? {} : JSON.parse(before.values),
      suggestions: suggestions.get(record.no) ?? new Map(),
    })
    return before === null && after === null ? null : { record, before, after }
  }
}
