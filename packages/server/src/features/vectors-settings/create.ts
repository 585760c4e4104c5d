import { invalid } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import { VECTORS_SETTINGS_MAX, type VectorsSettings, type VectorsSettingsCreate } from '@postil/domain/vectors'
import type { RequestContext } from '../../context.ts'
import { addToDataset } from '../datasets/change-settings.ts'
import { insertVectorsSettings, listVectorsSettings } from './store.ts'

/** Twice the size of the largest models in use; a thousand such vectors take 64 MB. */
const DIMENSIONS_MAX = 8000

export function createVectorsSettings(
  ctx: RequestContext,
  datasetId: Id,
  given: VectorsSettingsCreate,
): Promise<VectorsSettings> {
  return addToDataset(ctx, { datasetId, what: 'vectors_settings' }, async (tx, dataset) => {
    const { length } = await listVectorsSettings(tx, dataset.id)
    if (length >= VECTORS_SETTINGS_MAX) throw invalid(`A dataset has at most ${VECTORS_SETTINGS_MAX} vectors settings`)
    if (given.dimensions > DIMENSIONS_MAX) {
      throw invalid(`Vectors have at most ${DIMENSIONS_MAX} dimensions, not ${given.dimensions}`, ['dimensions'])
    }

    const now = ctx.now()
    const { name, title, dimensions } = given
    const settings = { id: ctx.newId(), name, title, dimensions, dataset_id: dataset.id, inserted_at: now, updated_at: now }
    await insertVectorsSettings(tx, settings)
    return settings
  })
}
