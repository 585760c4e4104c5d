import type { MetadataSettings } from '@postil/domain/metadata/registry'
import type { MetadataProperty, MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { addToDataset } from '../datasets/change-settings.ts'
import { insertMetadataProperty } from './store.ts'

/** Adds a metadata property. Matching extra metadata of existing records becomes values of the property. */
export function createMetadataProperty(
  ctx: RequestContext,
  datasetId: Id,
  given: MetadataPropertyCreate,
): Promise<MetadataProperty> {
  return addToDataset(ctx, { datasetId, what: 'metadata_properties' }, async (tx, dataset) => {
    const now = ctx.now()
    const property: MetadataProperty = {
      id: ctx.newId(),
      name: given.name,
      title: given.title,
      // The cast is safe: the schema has filled in the defaults, which are the only difference between the types.
      settings: given.settings as MetadataSettings,
      visible_for_annotators: given.visible_for_annotators ?? true,
      dataset_id: dataset.id,
      inserted_at: now,
      updated_at: now,
    }
    await insertMetadataProperty(tx, property)
    return property
  })
}
