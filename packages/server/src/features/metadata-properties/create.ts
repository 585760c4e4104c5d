import type { MetadataSettings } from '@postil/domain/metadata/registry'
import type { MetadataProperty, MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { Tx } from '../../storage/write.ts'
import { addToDataset } from '../datasets/change-settings.ts'
import { reindexPiece } from './reindex.ts'
import { insertMetadataProperty } from './store.ts'

/** Adds a metadata property. Values that records hold already, as extra metadata, become values of it. */
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
      // The shape's defaults are filled in, and nothing else tells the two apart.
      settings: given.settings as MetadataSettings,
      visible_for_annotators: given.visible_for_annotators ?? true,
      dataset_id: dataset.id,
      inserted_at: now,
      updated_at: now,
    }
    await insertMetadataProperty(tx, property)
    if (dataset.records_count > 0) await reindex(ctx, tx, property)
    return property
  })
}

/** Small datasets are done at once; the rest of a large one is left to a job. */
async function reindex(ctx: RequestContext, tx: Tx, { id, dataset_id }: MetadataProperty): Promise<void> {
  const rest = await reindexPiece(tx, { dataset_id, property_id: id, after: 0 })
  if (rest) await enqueue(tx, { id: ctx.newId(), now: ctx.now(), name: 'reindex-metadata', payload: rest })
}
