/**
 * Deletes the records that match a search, as a job: a search thread finds them, the caller confirms their number, and the job
 * deletes them in batches.
 */
import { type BulkFailure, type BulkJob, toBulkFailure } from '@postil/domain/bulk-jobs'
import { RECORDS_DELETED_MAX, type RecordsDeletion } from '@postil/domain/dataset-changes'
import { forbidden } from '@postil/domain/errors'
import { type Actor, canWriteRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { OnWriter } from '../../lib/answer.ts'
import type { Queryable } from '../../storage/database.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset, loadDataset } from '../datasets/store.ts'
import { askEngine } from '../records/ask-engine.ts'
import { removeRows } from '../records/remove.ts'
import { listRecordsToChange } from '../records/store.ts'
import { findActorById } from '../users/store.ts'
import { insertAndEnqueue } from './create.ts'
import { checkTotal, prepareMatches } from './match.ts'
import { type BulkJobRow, findBulkJobOfWrite, listRecordIds, toBulkJob } from './store.ts'
import * as writes from './writes.ts'

type StartOnWriter = OnWriter<typeof writes.startDeletion>

/**
 * Finds the records in a search thread; then the writer starts the job. A repeated request with the same `write_id` returns the
 * existing job.
 */
export function deleteRecordsByFilter(
  ctx: RequestContext,
  datasetId: Id,
  request: RecordsDeletion,
): Promise<BulkJob | StartOnWriter> {
  return askEngine<Queryable, BulkJob | StartOnWriter>(ctx, ctx.db.snapshot, async db => {
    const { dataset, before } = await checkRequest(db, ctx.actor, datasetId, request)
    if (before) return async () => toBulkJob(before)
    const settings = await loadDatasetSettings(db, dataset)
    const listMatches = await prepareMatches({ ctx, db, dataset, settings }, request, RECORDS_DELETED_MAX)
    return async () => {
      const record_nos = await listMatches()
      checkTotal(record_nos.length, request.expected_total, RECORDS_DELETED_MAX)
      return new OnWriter(writes.startDeletion, { dataset_id: dataset.id, request, record_nos })
    }
  })
}

/**
 * Starts the job for the records that were found, if the caller still has permission and none of the records was deleted since.
 */
export function startDeletion(ctx: RequestContext, { dataset_id, request, record_nos }: writes.DeletionStart): Promise<BulkJob> {
  return write(ctx, async tx => {
    const { dataset, before } = await checkRequest(tx, await findActorById(tx, ctx.actor.id), dataset_id, request)
    if (before) return toBulkJob(before)
    const recordIds = await listRecordIds(tx, record_nos)
    checkTotal(recordIds.length, request.expected_total, RECORDS_DELETED_MAX)
    const { write_id = null } = request
    const order = { dataset_id, type: 'delete_records', response_status: null, request: '{}', undoes: null, write_id }
    const job = await insertAndEnqueue(ctx, tx, recordIds, order)
    const details = { count: recordIds.length, job_id: job.id }
    await audit(tx, ctx, { action: 'dataset.records_deleted', target: dataset, workspaceId: dataset.workspace_id, details })
    return toBulkJob(job)
  })
}

async function checkRequest(db: Queryable, actor: Actor | null, datasetId: Id, { write_id }: RecordsDeletion) {
  const dataset = await loadDataset(db, datasetId)
  if (actor === null || !canWriteRecords(actor, dataset)) throw forbidden()
  return { dataset, before: write_id == null ? null : await findBulkJobOfWrite(db, actor.id, write_id) }
}

/** Deletes the records of a batch and skips those that no longer exist. Returns the records that could not be deleted. */
export async function deleteRecordsOf(tx: Tx, job: BulkJobRow, recordIds: readonly Id[]): Promise<BulkFailure[]> {
  const dataset = await findDataset(tx, job.dataset_id)
  const actor = await findActorById(tx, job.user_id)
  if (!dataset || !actor || !canWriteRecords(actor, dataset)) {
    return recordIds.map(record_id => toBulkFailure(record_id, forbidden()))
  }
  await removeRows(tx, dataset, await listRecordsToChange(tx, dataset.id, recordIds))
  return []
}
