import { actionStatus, type BulkJob, type BulkRequest, checkBulkAction } from '@postil/domain/bulk-jobs'
import { allow, conflict } from '@postil/domain/errors'
import { canCreateResponse } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { BulkJobsTable } from '../../storage/tables.ts'
import { type Tx, write } from '../../storage/write.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { listRecordIdsOfJob } from '../responses/history-store.ts'
import { listTargets } from './match.ts'
import {
  type BulkJobRow,
  countOpenJobs,
  findBulkJob,
  findBulkJobOfWrite,
  insertBulkJob,
  loadBulkJob,
  setUndoneBy,
  statusOf,
  toBulkJob,
} from './store.ts'

/** Records of one transaction: a person's response waits for one piece at most, some twentieths of a second. */
const PIECE_MAX = 100
/** Of one person, at a time. */
const OPEN_MAX = 10

/** Takes the order to give one answer to many records; the job does it, piece by piece. */
export function createBulkJob(ctx: RequestContext, datasetId: Id, request: BulkRequest): Promise<BulkJob> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(tx, datasetId)
    allow(canCreateResponse(ctx.actor, dataset))
    const before = request.write_id == null ? null : await findBulkJobOfWrite(tx, ctx.actor.id, request.write_id)
    if (before) return toBulkJob(before)

    const settings = await loadDatasetSettings(tx, dataset)
    const { action, merge = true, write_id = null } = request
    checkBulkAction(action, merge, settings.rules)
    const recordIds = await listTargets({ ctx, tx, dataset, settings }, request)
    return toBulkJob(
      await start(ctx, tx, recordIds, {
        dataset_id: dataset.id,
        type: action.type,
        response_status: actionStatus(action),
        request: JSON.stringify({ action, merge }),
        undoes: null,
        write_id,
      }),
    )
  })
}

/** Takes the order to bring back what a job replaced. Asked a second time, it answers the undo that there is. */
export function undoBulkJob(ctx: RequestContext, jobId: Id): Promise<BulkJob> {
  return write(ctx, async tx => {
    const job = await loadBulkJob(tx, jobId, ctx.actor.id)
    allow(canCreateResponse(ctx.actor, await loadDataset(tx, job.dataset_id)))
    const undo = job.undone_by === null ? null : await findBulkJob(tx, job.undone_by)
    if (undo && ['queued', 'started', 'finished'].includes(statusOf(undo))) return toBulkJob(undo)
    if (['queued', 'started'].includes(statusOf(job)))
      throw conflict('The job is not done: wait for it or cancel it, then undo what it did')

    const row = await start(ctx, tx, await listRecordIdsOfJob(tx, job.id), {
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

type Order = Pick<BulkJobsTable, 'dataset_id' | 'type' | 'response_status' | 'request' | 'undoes' | 'write_id'>

async function start(ctx: RequestContext, tx: Tx, recordIds: readonly Id[], order: Order): Promise<BulkJobRow> {
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
  await enqueue(tx, { id, now, name: 'bulk-responses', payload: { bulk_job_id: id } })
  return { ...row, job_status: 'queued', job_finished_at: null }
}
