import type { Dataset, DatasetCreate } from '@postil/domain/datasets'
import { DISTRIBUTION_DEFAULT } from '@postil/domain/distribution'
import { allow, invalid } from '@postil/domain/errors'
import { canChangeDataset } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { emit } from '../../events/emit.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { hasWorkspace, insertDataset } from './store.ts'

/** Creates a draft dataset. */
export function createDataset(ctx: RequestContext, given: DatasetCreate): Promise<Dataset> {
  return write(ctx, async tx => {
    allow(canChangeDataset(ctx.actor, given))
    if (!(await hasWorkspace(tx, given.workspace_id))) {
      throw invalid(`Workspace with id \`${given.workspace_id}\` not found`, ['workspace_id'])
    }

    const now = ctx.now()
    const dataset: Dataset = {
      id: ctx.newId(),
      name: given.name,
      guidelines: given.guidelines ?? null,
      allow_extra_metadata: given.allow_extra_metadata ?? true,
      status: 'draft',
      distribution: given.distribution ?? DISTRIBUTION_DEFAULT,
      metadata: given.metadata ?? null,
      workspace_id: given.workspace_id,
      last_activity_at: now,
      inserted_at: now,
      updated_at: now,
    }
    await insertDataset(tx, dataset)
    await audit(tx, ctx, { action: 'dataset.created', target: dataset, workspaceId: dataset.workspace_id })
    emit(tx, 'dataset.created', { dataset })
    return dataset
  })
}
