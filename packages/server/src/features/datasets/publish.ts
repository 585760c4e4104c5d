import { checkPublishable, type Dataset } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { emit } from '../../events/emit.ts'
import { touchActivity } from '../../storage/heads.ts'
import { write } from '../../storage/write.ts'
import { loadDatasetSettings } from './settings.ts'
import { loadDatasetToChange, toDataset, updateDataset } from './store.ts'

/** Publishes a draft. Its index is made in the same transaction: without one it stays a draft. */
export function publishDataset(ctx: RequestContext, id: Id): Promise<Dataset> {
  return write(ctx, async tx => {
    const draft = await loadDatasetToChange(tx, id)
    allow(canChangeDataset(ctx.actor, draft))
    const { fields, textFields, questions } = await loadDatasetSettings(tx, draft)
    checkPublishable(draft, fields, questions)

    const now = ctx.now()
    const dataset: Dataset = { ...toDataset(draft), status: 'ready', last_activity_at: now, updated_at: now }
    await updateDataset(tx, dataset)
    touchActivity(tx, dataset.id, now)
    await ctx.search.prepare(tx, dataset.id, textFields.length)
    emit(tx, 'dataset.published', { dataset })
    return dataset
  })
}
