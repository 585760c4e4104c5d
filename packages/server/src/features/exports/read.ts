/** Use cases that read and cancel exports. */
import type { ExportColumnsQuery, ExportsQuery } from '@postil/domain/api/exports'
import type { ColumnType } from '@postil/domain/columns'
import { allow, conflict, notFound } from '@postil/domain/errors'
import type { Export, ExportColumns, ExportPage } from '@postil/domain/exports'
import { canListRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { cancelJob } from '../../jobs/queue.ts'
import { StoredFile } from '../../lib/answer.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { listColumns } from './columns.ts'
import { cancelExportFile } from './export-file.ts'
import { type ExportRow, listExportRows, loadExport, toExport } from './store.ts'

/** Loads the export if the caller has permission to export its dataset. */
async function loadAllowed({ actor }: RequestContext, db: Queryable, id: Id): Promise<ExportRow> {
  const row = await loadExport(db, id)
  allow(canListRecords(actor, await loadDataset(db, row.dataset_id)))
  return row
}

export async function getExport(ctx: RequestContext, id: Id): Promise<Export> {
  return toExport(await loadAllowed(ctx, ctx.db, id), ctx.now())
}

export async function listExports(ctx: RequestContext, datasetId: Id, query: ExportsQuery): Promise<ExportPage> {
  const { limit = 20, before } = query
  allow(canListRecords(ctx.actor, await loadDataset(ctx.db, datasetId)))
  // Reads one row more than the limit to find out whether there is a next page.
  const rows = await listExportRows(ctx.db, { datasetId, before, limit: limit + 1 })
  const now = ctx.now()
  const items = rows.slice(0, limit).map(row => toExport(row, now))
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/** Cancels an export. Has no effect if it is canceled already. */
export function cancelExport(ctx: RequestContext, id: Id): Promise<Export> {
  return write(ctx, async tx => {
    const row = await loadAllowed(ctx, tx, id)
    const { status } = toExport(row, ctx.now())
    const now = ctx.now()
    if (status !== 'canceled') {
      if (!(await cancelJob(tx, id, now))) throw conflict(`The export is ${status}: there is nothing to cancel`)
      await cancelExportFile(tx, id, now)
      await audit(tx, ctx, { action: 'job.canceled', target: { id, name: 'file-export' } })
    }
    return toExport(await loadExport(tx, id), now)
  })
}

export async function downloadExport(ctx: RequestContext, id: Id): Promise<StoredFile> {
  const row = await loadAllowed(ctx, ctx.db, id)
  const { file, status } = toExport(row, ctx.now())
  if (file) return new StoredFile({ id: row.file_id, name: file.name, mediaType: file.media_type, size: file.size })
  if (status === 'queued' || status === 'started') throw conflict('The export is not finished: its file is not complete')
  throw notFound('File of export', id)
}

export async function listExportColumns(ctx: RequestContext, datasetId: Id, query: ExportColumnsQuery): Promise<ExportColumns> {
  const { responses: of = 'all', shape = 'wide' } = query
  const dataset = await loadDataset(ctx.db, datasetId)
  allow(canListRecords(ctx.actor, dataset))
  const settings = await loadDatasetSettings(ctx.db, dataset)
  const options = { responses: { of, user_id: null }, shape, hasImages: true, usernames: new Map() }
  return { items: listColumns(settings, options).map(({ name, kind, type }) => ({ name, kind, type: wordOf(type) })) }
}

const wordOf = (type: ColumnType): string => (typeof type === 'string' ? type : 'list' in type ? 'list' : 'struct')
