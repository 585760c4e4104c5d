import type { Id } from '@postil/domain/schema'
import type { VectorsSettings, VectorsSettingsUpdate } from '@postil/domain/vectors'
import type { RequestContext } from '../../context.ts'
import { changeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

export async function updateVectorsSettings(
  ctx: RequestContext,
  id: Id,
  { title }: VectorsSettingsUpdate,
): Promise<VectorsSettings> {
  const settings = await changeItem(ctx, id, {
    what: 'vectors_settings',
    load: store.loadVectorsSettings,
    patch: stored => ({ ...stored, title }),
    save: store.updateVectorsSettings,
  })
  return store.toVectorsSettings(settings)
}
