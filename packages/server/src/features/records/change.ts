/** Changes to a record that exists: only what really differs is written, and only then does its time move. */
import { isDeepStrictEqual } from 'node:util'
import type { RecordFields, RecordMetadata } from '@postil/domain/records'
import type { RequestContext } from '../../context.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import type { Batch } from './batch.ts'
import { toTextDocument } from './rows.ts'
import type { RecordRow } from './store.ts'

export interface RecordChange {
  ctx: RequestContext
  dataset: StoredDataset
  settings: DatasetSettings
  batch: Batch
}

export function changeFields({ ctx, settings, batch }: RecordChange, row: RecordRow, fields: RecordFields): void {
  if (isDeepStrictEqual(fields, JSON.parse(row.fields))) return
  row.fields = JSON.stringify(fields)
  row.updated_at = ctx.now()
  batch.texts.set(row.no, toTextDocument(settings, fields, row.no))
  batch.updated.set(row.no, row)
}

export function changeMetadata({ ctx, batch }: RecordChange, row: RecordRow, metadata: RecordMetadata | null): void {
  const stored = row.metadata === null ? null : JSON.parse(row.metadata)
  if (isDeepStrictEqual(metadata, stored)) return
  row.metadata = metadata === null ? null : JSON.stringify(metadata)
  row.updated_at = ctx.now()
  batch.updated.set(row.no, row)
}
