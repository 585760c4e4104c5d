import type { Id } from '@postil/domain/schema'
import type { VectorsSettings } from '@postil/domain/vectors'
import type { RequestContext } from '../../context.ts'
import { removeItem } from '../datasets/change-settings.ts'
import * as store from './store.ts'

/** Removes vectors settings and, with them, every vector of that kind. */
export async function deleteVectorsSettings(ctx: RequestContext, id: Id): Promise<VectorsSettings> {
  const settings = await removeItem(
    ctx,
    { id },
    {
      noun: 'VectorSettings',
      load: store.loadVectorsSettings,
      remove: (tx, stored) => store.deleteVectorsSettings(tx, stored.id),
    },
  )
  return store.toVectorsSettings(settings)
}
