import { allow, conflict } from '@postil/domain/errors'
import { type Export, type ExportOrder, type ExportRequest, toExportOrder } from '@postil/domain/exports'
import { FILES_BYTES_MAX } from '@postil/domain/files'
import { canListRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { later } from '../../lib/clock.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset, type StoredDataset } from '../datasets/store.ts'
import { countFilesOf } from '../files/store.ts'
import { loadAuthor } from '../users/store.ts'
import { checkColumns } from './columns.ts'
import { insertExportFile } from './export-file.ts'
import { resolveExportSearch } from './find-records.ts'
import { countOpenExports, deleteOldExports, insertExport, loadExport, toExport } from './store.ts'

/** Limit of unfinished exports per user. */
const OPEN_MAX = 20
/** How long exports are listed after their files were deleted. */
const LISTED_SECONDS = 30 * 86_400

/** Rejects requests that would make the job fail. */
export function createExport(ctx: RequestContext, datasetId: Id, request: ExportRequest): Promise<Export> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(tx, datasetId)
    allow(canListRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(tx, dataset)
    const order = await checkOrder(ctx, { db: tx, dataset, settings }, request)
    await checkQuota(ctx, tx)
    const [id, now] = [ctx.newId(), ctx.now()]
    await deleteOldExports(tx, dataset.id, later(now, -LISTED_SECONDS))
    const { format } = order
    const file_id = await insertExportFile(ctx, tx, { jobId: id, userId: ctx.actor.id, dataset, format }, now)
    const total = order.search === null ? dataset.records_count : null
    const payload = { dataset_id: dataset.id, actor_id: ctx.actor.id, order, file_id, done: 0, total }
    const row = { id, dataset_id: dataset.id, user_id: ctx.actor.id, format, file_id, inserted_at: now }
    await insertExport(tx, { ...row, status: 'queued', records: null, finished_at: null })
    await enqueue(tx, { id, now, name: 'file-export', payload })
    await audit(tx, ctx, {
      action: 'dataset.file_exported',
      target: dataset,
      workspaceId: dataset.workspace_id,
      details: { format },
    })
    return toExport(await loadExport(tx, id), now)
  })
}

/** Throws `invalid` if the request contradicts itself or the dataset. */
export async function checkOrder(
  ctx: RequestContext,
  searched: { db: Queryable; dataset: StoredDataset; settings: DatasetSettings },
  request: ExportRequest,
): Promise<ExportOrder> {
  const order = toExportOrder(request, searched.settings.rules)
  checkColumns(order, searched.settings)
  if (order.responses.user_id !== null) await loadAuthor(searched.db, order.responses.user_id)
  if (order.search !== null) await resolveExportSearch(searched, order.search, ctx.now())
  return order
}

async function checkQuota({ actor }: RequestContext, db: Queryable): Promise<void> {
  const open = await countOpenExports(db, actor.id)
  if (open >= OPEN_MAX) throw conflict(`${open} of your exports are not done; wait for one or cancel it`)
  const { bytes } = await countFilesOf(db, actor.id)
  if (bytes >= FILES_BYTES_MAX) {
    throw conflict(`Your files have ${bytes} bytes together; expected less than ${FILES_BYTES_MAX}. Delete an upload first`)
  }
}
