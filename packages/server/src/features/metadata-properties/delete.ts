import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { removeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Removes a metadata property. The values remain in the records, but can no longer be used in filters, sorts and metrics. */
export async function deleteMetadataProperty(ctx: RequestContext, id: Id): Promise<MetadataProperty> {
  const property = await removeItem(
    ctx,
    { id },
    {
      what: 'metadata_properties',
      noun: 'MetadataProperty',
      load: store.loadMetadataProperty,
      remove: (tx, stored) => store.deleteMetadataProperty(tx, stored.id),
    },
  )
  return store.toMetadataProperty(property)
}
