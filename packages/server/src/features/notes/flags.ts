import { allow } from '@postil/domain/errors'
import { FLAGS_LISTED_MAX, type RecordFlags } from '@postil/domain/notes'
import { canFlagRecord, canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import { type Tx, write } from '../../storage/write.ts'
import { loadDataset, loadDatasetOf } from '../datasets/store.ts'
import { loadRecord, type RecordRow } from '../records/store.ts'
import { countFlags, deleteFlag, insertFlag, listFlags } from './store.ts'

/** Flags a record. Flags are private to each user. */
export function flagRecord(ctx: RequestContext, recordId: Id): Promise<undefined> {
  return write(ctx, async tx => {
    const record = await loadFlaggable(ctx, tx, recordId)
    const isNew = await insertFlag(tx, { record_id: recordId, user_id: ctx.actor.id }, ctx.now())
    if (isNew) logChange(tx, { name: 'flag.created', dataset_id: record.dataset_id, recordNos: [record.no] })
    return undefined
  })
}

export function unflagRecord(ctx: RequestContext, recordId: Id): Promise<undefined> {
  return write(ctx, async tx => {
    const record = await loadFlaggable(ctx, tx, recordId)
    const wasFlagged = await deleteFlag(tx, { record_id: recordId, user_id: ctx.actor.id })
    if (wasFlagged) logChange(tx, { name: 'flag.deleted', dataset_id: record.dataset_id, recordNos: [record.no] })
    return undefined
  })
}

async function loadFlaggable(ctx: RequestContext, tx: Tx, recordId: Id): Promise<RecordRow> {
  const record = await loadRecord(tx, recordId)
  allow(canFlagRecord(ctx.actor, await loadDatasetOf(tx, record)))
  return record
}

/** Lists the caller's flags in a dataset. */
export function listMyFlags(ctx: RequestContext, datasetId: Id): Promise<RecordFlags> {
  return ctx.db.snapshot(async db => {
    allow(canReadDataset(ctx.actor, await loadDataset(db, datasetId)))
    const items = await listFlags(db, datasetId, ctx.actor.id, FLAGS_LISTED_MAX)
    const total = items.length < FLAGS_LISTED_MAX ? items.length : await countFlags(db, datasetId, ctx.actor.id)
    return { items, total }
  })
}
