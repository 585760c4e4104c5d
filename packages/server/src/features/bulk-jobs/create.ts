import { actionStatus, type BulkJob, type BulkRequest, checkBulkAction } from '@postil/domain/bulk-jobs'
import { allow, conflict, forbidden } from '@postil/domain/errors'
import { type Actor, canCreateResponse } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { OnWriter } from '../../lib/answer.ts'
import type { Queryable } from '../../storage/database.ts'
import type { BulkJobsTable } from '../../storage/tables.ts'
import { type Tx, write } from '../../storage/write.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { askEngine } from '../records/ask-engine.ts'
import { listRecordIdsOfJob } from '../responses/history-store.ts'
import { findActorById } from '../users/store.ts'
import { checkTotal, prepareMatches } from './match.ts'
import {
  type BulkJobRow,
  countOpenJobs,
  findBulkJob,
  findBulkJobOfWrite,
  insertBulkJob,
  listRecordIds,
  loadBulkJob,
  lockBulkJob,
  setUndoneBy,
  statusOf,
  toBulkJob,
} from './store.ts'
import * as writes from './writes.ts'

/** Records per transaction. A user's response waits for at most one batch, about 0.1 s. */
const PIECE_MAX = 100
/** Limit of unfinished jobs per user. */
const OPEN_MAX = 10

type StartOnWriter = OnWriter<typeof writes.startBulkJob>

/**
 * Creates a job that gives one answer to many records. A search thread finds the records; then the writer starts the job, which
 * runs in batches. A repeated request with the same `write_id` returns the existing job.
 */
export function createBulkJob(ctx: RequestContext, datasetId: Id, request: BulkRequest): Promise<BulkJob | StartOnWriter> {
  return askEngine<Queryable, BulkJob | StartOnWriter>(ctx, ctx.db.snapshot, async db => {
    const { dataset, settings, before } = await checkRequest(db, ctx.actor, datasetId, request)
    if (before) return async () => toBulkJob(before)
    const listMatches =
      request.record_ids == null ? await prepareMatches({ ctx, db, dataset, settings }, request, ctx.config.bulkRecordsMax) : null
    return async () => {
      const record_nos = listMatches && (await listMatches())
      checkTotal((record_nos ?? namedIds(request)).length, request.expected_total, ctx.config.bulkRecordsMax)
      return new OnWriter(writes.startBulkJob, { dataset_id: dataset.id, request, record_nos })
    }
  })
}

/** Starts the job for the records that were found. Repeats all other checks, because the data may have changed since. */
export function startBulkJob(ctx: RequestContext, { dataset_id, request, record_nos }: writes.BulkStart): Promise<BulkJob> {
  return write(ctx, async tx => {
    const actor = await findActorById(tx, ctx.actor.id)
    const { before } = await checkRequest(tx, actor, dataset_id, request)
    if (before) return toBulkJob(before)
    const recordIds = record_nos === null ? namedIds(request) : await listRecordIds(tx, record_nos)
    const { action, merge = true, write_id = null, expected_total } = request
    checkTotal(recordIds.length, expected_total, ctx.config.bulkRecordsMax)
    return toBulkJob(
      await insertAndEnqueue(ctx, tx, recordIds, {
        dataset_id,
        type: action.type,
        response_status: actionStatus(action),
        request: JSON.stringify({ action, merge }),
        undoes: null,
        write_id,
      }),
    )
  })
}

const namedIds = ({ record_ids }: BulkRequest): Id[] => [...new Set(record_ids)]

/** Returns as `before` the job that an earlier request with the same `write_id` started. */
async function checkRequest(db: Queryable, actor: Actor | null, datasetId: Id, request: BulkRequest) {
  const { action, merge = true, write_id } = request
  const dataset = await loadDataset(db, datasetId)
  if (actor === null || !canCreateResponse(actor, dataset)) throw forbidden()
  const settings = await loadDatasetSettings(db, dataset)
  const before = write_id == null ? null : await findBulkJobOfWrite(db, actor.id, write_id)
  if (!before) checkBulkAction(action, merge, settings.rules)
  return { dataset, settings, before }
}

/** Creates a job that restores the responses replaced by another job. A repeated request returns the existing undo job. */
export function undoBulkJob(ctx: RequestContext, jobId: Id): Promise<BulkJob> {
  return write(ctx, async tx => {
    await lockBulkJob(tx, jobId)
    const job = await loadBulkJob(tx, jobId, ctx.actor.id)
    allow(canCreateResponse(ctx.actor, await loadDataset(tx, job.dataset_id)))
    if (job.type === 'delete_records') throw conflict('Deleted records cannot be brought back')
    const undo = job.undone_by === null ? null : await findBulkJob(tx, job.undone_by)
    if (undo && ['queued', 'started', 'finished'].includes(statusOf(undo))) return toBulkJob(undo)
    if (['queued', 'started'].includes(statusOf(job)))
      throw conflict('The job is not done: wait for it or cancel it, then undo what it did')

    const row = await insertAndEnqueue(ctx, tx, await listRecordIdsOfJob(tx, job.id), {
      dataset_id: job.dataset_id,
      type: 'undo',
      response_status: null,
      request: '{}',
      undoes: job.id,
      write_id: null,
    })
    await setUndoneBy(tx, job.id, row.id)
    return toBulkJob(row)
  })
}

type NewBulkJob = Pick<BulkJobsTable, 'dataset_id' | 'type' | 'response_status' | 'request' | 'undoes' | 'write_id'>

export async function insertAndEnqueue(
  ctx: RequestContext,
  tx: Tx,
  recordIds: readonly Id[],
  order: NewBulkJob,
): Promise<BulkJobRow> {
  const open = await countOpenJobs(tx, ctx.actor.id)
  if (open >= OPEN_MAX) throw conflict(`${open} of your bulk jobs are not done; wait for one or cancel it`)
  const [id, now] = [ctx.newId(), ctx.now()]
  const row: BulkJobsTable = {
    id,
    user_id: ctx.actor.id,
    ...order,
    status: 'queued',
    total: recordIds.length,
    done: 0,
    failed: 0,
    failures: '[]',
    undone_by: null,
    undone: 0,
    inserted_at: now,
    finished_at: null,
  }
  const pieces = Array.from({ length: Math.ceil(recordIds.length / PIECE_MAX) }, (_, i) =>
    recordIds.slice(i * PIECE_MAX, (i + 1) * PIECE_MAX),
  )
  await insertBulkJob(tx, row, pieces)
  await enqueue(tx, {
    id,
    now,
    name: 'bulk-responses',
    payload: { bulk_job_id: id, dataset_id: row.dataset_id, user_id: row.user_id },
  })
  return { ...row, job_status: 'queued', job_finished_at: null }
}
