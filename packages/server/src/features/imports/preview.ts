/** Preview of an upload: its first rows, and possible uses for its columns. */
import { allow, conflict, DomainError, invalid } from '@postil/domain/errors'
import { type ImportSource, PREVIEW_INSPECTED_MAX, type Preview, type PreviewRequest } from '@postil/domain/imports'
import { canUpload } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { FileGone } from '../files/read.ts'
import { checkUpload, findFile } from '../files/store.ts'
import { HubRefusal } from '../hub/failures.ts'
import { describeColumns } from './columns.ts'
import { openUpload, UPLOAD_GONE } from './run.ts'
import { openTable } from './tables/open-table.ts'
import type { Table, TableRow } from './tables/table.ts'

const ROWS_SHOWN = 20
const PROBLEMS_MAX = 20
const PREVIEW_MS_MAX = 20_000
/** Limit of the rows read for the preview. Parsed JSON can take twenty times its bytes. */
const BYTES_MAX = 8 * 1024 * 1024

export async function previewUpload(
  ctx: RequestContext,
  id: Id,
  { source, rows = ROWS_SHOWN }: PreviewRequest,
): Promise<Preview> {
  allow(canUpload(ctx.actor))
  const upload = checkUpload(await findFile(ctx.db, id), id, ctx.actor.id)
  if (upload.received < upload.size) {
    throw conflict(`The upload is not complete: ${upload.received} of ${upload.size} bytes were received`)
  }
  try {
    const table = await openTable(await openUpload(ctx, id), source ?? null, {
      ...ctx.config,
      deadline: Date.now() + PREVIEW_MS_MAX,
    })
    return await toPreview(table, rows, upload.size)
  } catch (error) {
    // Errors that would make an import fail are reported as an invalid request here.
    if (error instanceof HubRefusal) throw invalid(error.message)
    throw error instanceof FileGone ? new DomainError('not_found', UPLOAD_GONE) : error
  }
}

async function toPreview(table: Table, shown: number, size: number): Promise<Preview> {
  const { source, sheets, columns } = table
  const read: TableRow[] = []
  let isWhole = true
  for await (const row of table.rows(null)) {
    read.push(row)
    isWhole = read.length < PREVIEW_INSPECTED_MAX && row.end.byte < BYTES_MAX
    if (!isWhole) break
  }
  const rows = read.flatMap(({ values }) => (values === null ? [] : [values]))
  return {
    source: { ...withoutNulls(source), ...(sheets && { sheets }) },
    rows_estimate: table.rowsEstimate ?? estimate(read, isWhole, size),
    columns: describeColumns(columns, rows),
    rows: rows.slice(0, shown).map(values => columns.map(column => values[column] ?? null)),
    problems: [...table.problems, ...read.flatMap(({ no, problem }) => (problem ? [`Row ${no}: ${problem.reason}`] : []))].slice(
      0,
      PROBLEMS_MAX,
    ),
  }
}

/** Estimates the number of rows from the bytes of the rows read so far. */
function estimate(read: readonly TableRow[], isWhole: boolean, size: number): number {
  const bytes = read.at(-1)?.end.byte ?? 0
  return isWhole || bytes === 0 ? read.length : Math.max(read.length, Math.round((read.length * size) / bytes))
}

const withoutNulls = (source: ImportSource): ImportSource =>
  Object.fromEntries(Object.entries(source).filter(([, value]) => value != null)) as ImportSource
