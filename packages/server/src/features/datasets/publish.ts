import { checkPublishable, type Dataset } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { emit } from '../../events/emit.ts'
import { touchActivity } from '../../storage/heads.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from './settings.ts'
import { loadDatasetToChange, toDataset, updateDataset } from './store.ts'

/** Publishes a draft. From then on records can be added and searched. */
export function publishDataset(ctx: RequestContext, id: Id): Promise<Dataset> {
  return write(ctx, async tx => {
    const draft = await loadDatasetToChange(tx, id)
    allow(canChangeDataset(ctx.actor, draft))
    const { fields, questions } = await loadDatasetSettings(tx, draft)
    checkPublishable(draft, fields, questions)

    const now = ctx.now()
    const dataset: Dataset = { ...toDataset(draft), status: 'ready', last_activity_at: now, updated_at: now }
    await updateDataset(tx, dataset)
    touchActivity(tx, dataset.id, now)
    await audit(tx, ctx, { action: 'dataset.published', target: dataset, workspaceId: dataset.workspace_id })
    emit(tx, 'dataset.published', { dataset })
    return dataset
  })
}
