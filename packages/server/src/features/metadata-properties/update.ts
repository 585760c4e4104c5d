import type { MetadataProperty, MetadataPropertyUpdate } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { changeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Changes title or visibility of a metadata property. Absent properties remain unchanged. */
export async function updateMetadataProperty(
  ctx: RequestContext,
  id: Id,
  given: MetadataPropertyUpdate,
): Promise<MetadataProperty> {
  const property = await changeItem(ctx, id, {
    what: 'metadata_properties',
    load: store.loadMetadataProperty,
    patch: stored => ({ ...stored, ...given }),
    save: store.updateMetadataProperty,
  })
  return store.toMetadataProperty(property)
}
