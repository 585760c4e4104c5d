import { allow } from '@postil/domain/errors'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import { canReadDataset, canSeeMetadataProperty } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import * as store from './store.ts'

/** Lists the metadata properties of a dataset, without those hidden from the caller. */
export async function listMetadataProperties(ctx: RequestContext, datasetId: Id): Promise<{ items: MetadataProperty[] }> {
  const dataset = await loadDataset(ctx.db, datasetId)
  allow(canReadDataset(ctx.actor, dataset))

  const properties = await store.listMetadataProperties(ctx.db, datasetId)
  const visible = properties.filter(property => canSeeMetadataProperty(ctx.actor, dataset, property))
  return { items: visible.map(store.toMetadataProperty) }
}
