import type { Dataset } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { emit } from '../../events/emit.ts'
import { enqueue } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from './settings.ts'
import { loadDatasetToChange, deleteDataset as removeDataset, toDataset } from './store.ts'

/** Deletes a dataset with its settings. Its records can no longer be read; a job deletes them in batches. */
export function deleteDataset(ctx: RequestContext, id: Id): Promise<Dataset> {
  return write(ctx, async tx => {
    const stored = await loadDatasetToChange(tx, id)
    allow(canChangeDataset(ctx.actor, stored))

    const dataset = toDataset(stored)
    const settings = await loadDatasetSettings(tx, stored)
    await removeDataset(tx, dataset.id)
    const payload = { dataset_id: dataset.id, actor_id: ctx.actor.id, done: 0, total: stored.records_count }
    await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'purge-dataset', payload })
    const details = { records: stored.records_count }
    await audit(tx, ctx, { action: 'dataset.deleted', target: dataset, workspaceId: dataset.workspace_id, details })
    emit(tx, 'dataset.deleted', { dataset }, settings)
    return dataset
  })
}
