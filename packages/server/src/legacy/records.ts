/** Operations on single records, and on all records that match a query. */
import { allow } from '@postil/domain/errors'
import type { LegacyRecordUpdate } from '@postil/domain/legacy/api-records'
import { recordNotFound } from '@postil/domain/legacy/errors'
import { type RecordQuery, toFilter } from '@postil/domain/legacy/filter'
import { flattenMetadata } from '@postil/domain/legacy/record'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../context.ts'
import { audit } from '../features/audit-log/add.ts'
import { OnWriter } from '../lib/answer.ts'
import type { Queryable } from '../storage/database.ts'
import { type Tx, write } from '../storage/write.ts'
import { type DatasetRef, loadDataset, type TaskDataset } from './datasets-store.ts'
import { findRecords } from './find.ts'
import { deleteRecords, loadRecords, type StoredRow, storeRecords } from './records-store.ts'
import { showWithNulls } from './show.ts'
import { type FoundToDelete, legacyDeleteFound } from './writes.ts'

export async function getLegacyRecord(ctx: RequestContext, place: DatasetRef, id: string): Promise<Json> {
  const dataset = await loadDataset(ctx, ctx.db, place)
  return showWithNulls(await loadRecord(ctx.db, dataset, id), dataset.task)
}

/** Metadata is merged one level deep. */
export function updateLegacyRecord(ctx: RequestContext, place: DatasetRef, id: string, given: LegacyRecordUpdate): Promise<Json> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(ctx, tx, place, { lock: true })
    const { record, ...row } = await loadRecord(tx, dataset, id)
    const metadata = given.metadata && flattenMetadata(given.metadata, { lengthMax: ctx.config.legacyMetadataLengthMax })
    const changed = {
      ...record,
      ...(metadata ? { metadata: { ...record.metadata, ...metadata } } : {}),
      ...(given.status ? { status: given.status } : {}),
      last_updated: ctx.now(),
    }
    await storeRecords(tx, dataset, [{ ...row, record: changed }])
    return showWithNulls({ ...row, record: changed }, dataset.task)
  })
}

async function loadRecord(db: Queryable, dataset: TaskDataset, id: string): Promise<StoredRow> {
  const row = (await loadRecords(db, dataset.no, [id])).get(id)
  if (!row) throw recordNotFound(`${dataset.workspace}.${dataset.name}`, id)
  return row
}

interface Deletion {
  query: RecordQuery
  markAsDiscarded: boolean
}

/** A search thread finds the records, the writer deletes them. */
export async function deleteLegacyRecords(
  ctx: RequestContext,
  place: DatasetRef,
  { query, markAsDiscarded }: Deletion,
): Promise<OnWriter> {
  const found = await ctx.db.snapshot(async db => {
    const dataset = await loadDataset(ctx, db, place)
    allow(markAsDiscarded || canChangeDataset(ctx.actor, dataset))
    return findRecords(ctx, db, dataset, { filter: toFilter(query) })
  })
  return new OnWriter(legacyDeleteFound, { ...place, ids: found.map(({ id }) => id), mark_as_discarded: markAsDiscarded })
}

/** Records that were deleted in the meantime are not counted as processed. */
export function deleteFoundRecords(ctx: RequestContext, { ids, mark_as_discarded, ...place }: FoundToDelete) {
  return write(ctx, async tx => {
    const dataset = await loadDataset(ctx, tx, place, { lock: true })
    if (mark_as_discarded) return { matched: ids.length, processed: await discard(ctx, tx, dataset, ids) }
    allow(canChangeDataset(ctx.actor, dataset))
    const processed = await deleteRecords(tx, dataset, ids)
    const details = { count: processed }
    await audit(tx, ctx, { action: 'dataset.records_deleted', target: dataset, workspaceId: dataset.workspace_id, details })
    return { matched: ids.length, processed }
  })
}

const DISCARD_BATCH_SIZE = 500

async function discard(ctx: RequestContext, tx: Tx, dataset: TaskDataset, ids: readonly string[]): Promise<number> {
  let discarded = 0
  for (let start = 0; start < ids.length; start += DISCARD_BATCH_SIZE) {
    const rows = await loadRecords(tx, dataset.no, ids.slice(start, start + DISCARD_BATCH_SIZE))
    const last_updated = ctx.now()
    const changed = Array.from(rows.values(), row => ({
      ...row,
      record: { ...row.record, status: 'Discarded' as const, last_updated },
    }))
    await storeRecords(tx, dataset, changed)
    discarded += changed.length
  }
  return discarded
}
