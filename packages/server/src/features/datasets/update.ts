import { isDeepStrictEqual } from 'node:util'
import { type Dataset, type DatasetUpdate, mergeDatasetMetadata } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { emit } from '../../events/emit.ts'
import { enqueue } from '../../jobs/queue.ts'
import { touchActivity } from '../../storage/heads.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit, listChangedProperties } from '../audit-log/add.ts'
import { recomputePiece } from './recompute-status.ts'
import { loadDatasetToChange, toDataset, updateDataset as writeDataset } from './store.ts'

/**
 * Changes a draft or published dataset. A new distribution changes the status of records; for small datasets this happens in the
 * same transaction.
 */
export function updateDataset(ctx: RequestContext, id: Id, given: DatasetUpdate): Promise<Dataset> {
  return write(ctx, async tx => {
    const stored = toDataset(await loadDatasetToChange(tx, id))
    allow(canChangeDataset(ctx.actor, stored))

    const { metadata, ...changes } = given
    const merged = metadata === undefined ? stored.metadata : mergeDatasetMetadata(stored.metadata, metadata)
    const changed: Dataset = { ...stored, ...changes, metadata: merged }
    const dataset = isDeepStrictEqual(changed, stored) ? stored : await save(ctx, tx, changed)

    if (dataset !== stored) await auditChange(ctx, tx, stored, dataset)
    emit(tx, 'dataset.updated', { dataset })
    if (dataset.distribution.min_submitted !== stored.distribution.min_submitted) await recompute(ctx, tx, dataset.id)
    return dataset
  })
}

async function save(ctx: RequestContext, tx: Tx, changed: Dataset): Promise<Dataset> {
  const now = ctx.now()
  const dataset = { ...changed, last_activity_at: now, updated_at: now }
  await writeDataset(tx, dataset)
  touchActivity(tx, dataset.id, now)
  return dataset
}

/** Guidelines and metadata can be long, so the audit log only notes that they changed. */
function auditChange(ctx: RequestContext, tx: Tx, before: Dataset, after: Dataset): Promise<void> {
  const changed = listChangedProperties(before, after)
  const details = {
    changed,
    ...(changed.includes('name') ? { name: { from: before.name, to: after.name } } : {}),
    ...(changed.includes('distribution') ? { distribution: { from: before.distribution, to: after.distribution } } : {}),
  }
  return audit(tx, ctx, { action: 'dataset.updated', target: after, workspaceId: after.workspace_id, details })
}

async function recompute(ctx: RequestContext, tx: Tx, datasetId: Id): Promise<void> {
  const rest = await recomputePiece(ctx, tx, { dataset_id: datasetId, actor_id: ctx.actor.id, after: 0 })
  if (rest) await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'recompute-status', payload: rest })
}
