/** The file of rejected rows. It is written batch by batch, so that it is consistent even if the server stops. */
import { CSV_BOM, toCsvRow } from '@postil/domain/exports/csv'
import type { Context } from '../../context.ts'
import { appendBytes } from '../files/append.ts'
import type { RejectedRowValues } from './batch.ts'
import type { FileImportPayload } from './jobs.ts'

/** Beyond this size, rejected rows are counted but not written to the file. */
const BYTES_MAX = 256 * 1024 * 1024

/** Appends the rows to those of earlier batches. They become valid once the writer has stored the batch. */
export async function writeRejects(
  ctx: Context,
  earlier: FileImportPayload['rejects'],
  { rejected, columns }: { rejected: readonly RejectedRowValues[]; columns: readonly string[] },
): Promise<FileImportPayload['rejects']> {
  if (rejected.length === 0 || (earlier?.bytes ?? 0) >= BYTES_MAX) return earlier
  const { file_id, bytes: received } = earlier ?? { file_id: ctx.newId(), bytes: 0 }
  const head = received === 0 ? CSV_BOM + toCsvRow(['row', 'column', 'value', 'reason', ...columns]) : ''
  const lines = rejected.map(({ row, column, value, reason, values }) =>
    toCsvRow([row, column, value, reason, ...columns.map(name => values?.[name] ?? null)]),
  )
  const bytes = Buffer.from(head + lines.join(''))
  return { file_id, bytes: await appendBytes(ctx, { fileId: file_id, received, bytes, isRedone: true }) }
}
