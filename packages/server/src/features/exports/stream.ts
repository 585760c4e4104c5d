/** Small exports, streamed while they are produced. Each part is a separate internal call that reads the next page of records. */
import { route } from '@postil/domain/api/route'
import { allow, invalid } from '@postil/domain/errors'
import { type ExportOrder, type ExportRequest, STREAM_FORMATS, STREAM_RECORDS_MAX } from '@postil/domain/exports'
import { canListRecords } from '@postil/domain/permissions'
import { type Id, Type } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { InParts, OnWriter } from '../../lib/answer.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { listAuthorNames } from '../users/store.ts'
import { checkOrder } from './create.ts'
import { toFileName } from './export-file.ts'
import { findRecords } from './find-records.ts'
import { FORMATS } from './format-names.ts'
import { headOf, listPlainColumns, rowsOf } from './formats.ts'
import { neededBy, PAGE_RECORDS, readPages } from './read-records.ts'

interface ExportPart {
  dataset_id: Id
  order: ExportOrder
  /** Remaining records; null for all records of the dataset with numbers above `after`. */
  record_nos: number[] | null
  after: number
}

interface ExportStart {
  /** The text before the rows. */
  head: string
  part: ExportPart
}

const inner = { method: 'POST', tag: 'exports', status: 200, summary: '' } as const

/** Internal route that adds an audit log entry and returns the first part. It is not part of the API. */
export const exportStart = route({
  ...inner,
  id: 'exportStart',
  path: '/inner/export-start',
  runs: 'writer',
  urgent: true,
  body: Type.Unsafe<ExportStart>({}),
})

/** Internal route that returns the next part. It is not part of the API. */
export const exportPart = route({
  ...inner,
  id: 'exportPart',
  path: '/inner/export-part',
  runs: 'reader',
  body: Type.Unsafe<ExportPart>({}),
})

type Parts = InParts<typeof exportPart>

/** Finds the records. The writer then adds the audit log entry, before any row is sent. */
export async function streamExport(ctx: RequestContext, datasetId: Id, request: ExportRequest): Promise<OnWriter> {
  const { dataset, settings, order } = await ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(canListRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    return { dataset, settings, order: await checkOrder(ctx, { db, dataset, settings }, request) }
  })
  const { format, search } = order
  if (!STREAM_FORMATS.includes(format)) {
    throw invalid(`Format \`${format}\` is made by a job. Expected one of: ${STREAM_FORMATS.join(', ')}`, ['format'])
  }
  const found = search && (await findRecords(ctx, datasetId, search, STREAM_RECORDS_MAX))
  const total = found?.length ?? dataset.records_count
  if (total > STREAM_RECORDS_MAX) {
    throw invalid(`There are more than ${STREAM_RECORDS_MAX} records: so many are exported by a job`)
  }
  const columns = listPlainColumns({ settings, order, usernames: new Map() })
  const part = { dataset_id: datasetId, order, record_nos: found && Array.from(found), after: 0 }
  return new OnWriter(exportStart, { head: headOf(order, columns), part })
}

export function startExportStream(ctx: RequestContext, { head, part }: ExportStart): Promise<Parts> {
  const { dataset_id, order } = part
  return write(ctx, async tx => {
    // Loaded again, because the dataset may have been deleted since.
    const dataset = await loadDataset(tx, dataset_id)
    const details = { format: order.format, streamed: true }
    await audit(tx, ctx, { action: 'dataset.file_exported', target: dataset, workspaceId: dataset.workspace_id, details })
    return new InParts(Buffer.from(head), fileOf(dataset.name, order), { route: exportPart, body: part })
  })
}

const fileOf = (name: string, { format }: ExportOrder) => {
  const { ending, mediaType } = FORMATS[format]
  return { name: toFileName(name, ending), mediaType }
}

export function readExportPart(ctx: RequestContext, { dataset_id, order, record_nos, after }: ExportPart): Promise<Parts> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, dataset_id)
    allow(canListRecords(ctx.actor, dataset))
    const settings = await loadDatasetSettings(db, dataset)
    const usernames = order.shape === 'long' ? await listAuthorNames(db) : new Map<Id, string>()
    const recordNos = record_nos?.slice(0, PAGE_RECORDS) ?? null
    const columns = listPlainColumns({ settings, order, usernames })
    const source = {
      db,
      dataset,
      settings,
      order,
      recordNos,
      after,
      usernames,
      signal: AbortSignal.any([]),
      onProgress: () => {},
    }
    const { value: records } = await readPages(source, neededBy(columns)).next()
    const file = fileOf(dataset.name, order)
    if (!records) return new InParts(new Uint8Array(0), file, null)
    const last = records.at(-1)?.row.no ?? after
    const left = record_nos?.slice(PAGE_RECORDS) ?? null
    const isDone = left?.length === 0
    const next = { route: exportPart, body: { dataset_id, order, record_nos: left, after: last } }
    return new InParts(rowsOf(records, order, columns), file, isDone ? null : next)
  })
}
