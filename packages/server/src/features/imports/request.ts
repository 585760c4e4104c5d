/** Accepts requests for file imports and reports their progress. Jobs do the work. */
import { allow, conflict, invalid, notFound } from '@postil/domain/errors'
import { checkImportMapping, type Import, type ImportPage, type ImportRequest } from '@postil/domain/imports'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { notice } from '../../events/emit.ts'
import { toJobNotice } from '../../jobs/notice.ts'
import { cancelJob, enqueue } from '../../jobs/queue.ts'
import { StoredFile } from '../../lib/answer.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset, loadDataset, loadLockedDataset } from '../datasets/store.ts'
import { checkUpload, findFile, findLockedFile, keepFile } from '../files/store.ts'
import { toExpiry } from '../files/uploads.ts'
import { loadJobToChange } from '../jobs/store.ts'
import { checkPublished } from '../records/create-bulk.ts'
import { FILE_IMPORT, type FileImportPayload } from './jobs.ts'
import { findImport, type ImportRow, listImportRows, toImport } from './store.ts'

/** Rejects requests that would make the job fail or import nothing. */
export function createImport(ctx: RequestContext, datasetId: Id, request: ImportRequest): Promise<Import> {
  return write(ctx, async tx => {
    const dataset = await loadLockedDataset(tx, datasetId)
    allow(canChangeDataset(ctx.actor, dataset))
    // A dry run stores nothing, so it is allowed before the dataset is published.
    if (!request.dry_run) checkPublished(dataset)
    const upload = checkUpload(await findLockedFile(tx, request.upload_id), request.upload_id, ctx.actor.id)
    if (upload.received < upload.size) {
      throw conflict(`The upload is not complete: ${upload.received} of ${upload.size} bytes were received`)
    }
    checkImportMapping(request.mapping, (await loadDatasetSettings(tx, dataset)).rules)
    const [id, now] = [ctx.newId(), ctx.now()]
    await keepFile(tx, upload.id, toExpiry(ctx, now))
    const payload = toPayload(ctx, { datasetId, request, upload })
    await enqueue(tx, { id, now, name: FILE_IMPORT, payload })
    await audit(tx, ctx, {
      action: 'dataset.file_imported',
      target: dataset,
      workspaceId: dataset.workspace_id,
      details: { from: upload.name, ...(payload.dry_run && { dry_run: true }) },
    })
    return toImport({ id, status: 'queued', payload, error: null, inserted_at: now, finished_at: null })
  })
}

function toPayload(
  { actor }: RequestContext,
  { datasetId, request, upload }: { datasetId: Id; request: ImportRequest; upload: { id: Id; name: string; size: number } },
): FileImportPayload {
  const { mapping, source, dry_run = false, on_conflict = 'update', stop_after_rejects = null } = request
  return {
    dataset_id: datasetId,
    actor_id: actor.id,
    upload_id: upload.id,
    name: upload.name,
    mapping,
    dry_run,
    on_conflict,
    stop_after_rejects,
    source: source ?? null,
    columns: null,
    cursor: null,
    rows: { read: 0, created: 0, updated: 0, skipped: 0, rejected: 0 },
    errors: [],
    rejects: null,
    done: 0,
    total: upload.size,
  }
}

/** Loads an import whose dataset exists and may be changed by the caller. */
async function loadImport(db: Queryable, { actor }: Pick<RequestContext, 'actor'>, id: Id): Promise<ImportRow> {
  const row = await findImport(db, id)
  const dataset = row && (await findDataset(db, row.payload.dataset_id))
  if (!row || !dataset) throw notFound('Import', id)
  allow(canChangeDataset(actor, dataset))
  return row
}

export const getImport = async (ctx: RequestContext, id: Id): Promise<Import> => toImport(await loadImport(ctx.db, ctx, id))

export async function listImports(
  ctx: RequestContext,
  datasetId: Id,
  { limit = 20, before = null }: { limit?: number; before?: Id | null },
): Promise<ImportPage> {
  allow(canChangeDataset(ctx.actor, await loadDataset(ctx.db, datasetId)))
  // Reads one row more than the limit to find out whether there is a next page.
  const rows = await listImportRows(ctx.db, { datasetId, before, limit: limit + 1 })
  const items = rows.slice(0, limit).map(toImport)
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/** Cancels an import. A batch that is being stored is completed first. Has no effect if the import is canceled already. */
export function cancelImport(ctx: RequestContext, id: Id): Promise<Import> {
  return write(ctx, async tx => {
    const { status } = await loadImport(tx, ctx, id)
    const job = await loadJobToChange(tx, id)
    if (status === 'canceled') return toImport(await loadImport(tx, ctx, id))
    if (!(await cancelJob(tx, id, ctx.now()))) throw conflict(`The import is ${job.status}: there is nothing to cancel`)
    const told = toJobNotice({ id, payload: JSON.parse(job.payload) }, 'canceled')
    if (told) notice(tx, told)
    await audit(tx, ctx, { action: 'job.canceled', target: { id, name: job.name } })
    return toImport(await loadImport(tx, ctx, id))
  })
}

export async function getImportRejects(ctx: RequestContext, id: Id): Promise<StoredFile> {
  const { payload } = await loadImport(ctx.db, ctx, id)
  const file = payload.rejects && (await findFile(ctx.db, payload.rejects.file_id))
  if (payload.rejects === null) throw invalid('The import has rejected no rows')
  if (!file) throw notFound('File of rejected rows', payload.rejects.file_id)
  return new StoredFile({ id: file.id, name: file.name, mediaType: file.media_type, size: file.received })
}
