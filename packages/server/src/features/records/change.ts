/** Changes to an existing record. Only values that differ are written, and only then does `updated_at` change. */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Batch } from './batch.ts'
import type { RecordRow } from './store.ts'

export interface RecordChange {
  ctx: Context
  batch: Batch
}

/** Returns true if the fields differ. */
export function changeFields({ ctx, batch }: RecordChange, row: RecordRow, fields: string): boolean {
  if (isSameJson(fields, row.fields)) return false
  row.fields = fields
  row.updated_at = ctx.now()
  batch.updated.set(row.no, row)
  return true
}

export function changeMetadata({ ctx, batch }: RecordChange, row: RecordRow, metadata: string | null): void {
  if (isSameJson(metadata, row.metadata)) return
  row.metadata = metadata
  row.updated_at = ctx.now()
  batch.updated.set(row.no, row)
}

/** Ignores the order of keys. */
const isSameJson = (left: string | null, right: string | null): boolean =>
  left === right || (left !== null && right !== null && isDeepStrictEqual(JSON.parse(left), JSON.parse(right)))
